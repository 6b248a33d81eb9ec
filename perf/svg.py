"""Draws a chart with lines as SVG text: no dependencies, the same input gives the same bytes."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 70
COLOURS = ("#1b6ca8", "#d1495b", "#3a7d44", "#8d5fb3", "#c77d0a", "#555555")


def _ticks(low, high, log):
    """Positions of the grid lines, in the unit of the axis."""
    if log:
        return [10.0 ** k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    step = 10.0 ** math.floor(math.log10((high - low) or 1))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if (high - low) / s <= 8)
    return [k * step for k in range(math.floor(low / step), math.ceil(high / step) + 1)]


def _text(x):
    if x >= 1e6:
        return f"{x / 1e6:g}M"
    return f"{x / 1e3:g}k" if x >= 1e4 else f"{x:g}"


class _Axis:
    def __init__(self, values, log, start, length, zero):
        low, high = min(values), max(values)
        if log and low <= 0:
            raise ValueError("a logarithmic axis has no zero")
        self.log, self.start, self.length = log, start, length
        self.ticks = _ticks(0 if zero and not log else low, high if high != low else low + 1, log)
        self.low, self.high = self.ticks[0], self.ticks[-1]

    def at(self, x):
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        x = math.log10(x) if self.log else x
        return self.start + self.length * (x - low) / ((high - low) or 1)


def chart(title, x_label, y_label, series, log_x=False, log_y=False, names=None):
    """series maps a name to points (x, y). `names` are texts for x = 0, 1, 2...; without it the axis has numbers. A logarithmic y leaves out
    the points with y = 0; a logarithmic x refuses them."""
    if log_y:
        series = {name: [p for p in line if p[1] > 0] for name, line in series.items()}
    points = [p for line in series.values() for p in line]
    if not points:
        raise ValueError(f"nothing to draw: {title}")
    across = _Axis([p[0] for p in points], log_x, LEFT, WIDTH - LEFT - RIGHT, False)
    up = _Axis([p[1] for p in points], log_y, HEIGHT - BOTTOM, TOP + BOTTOM - HEIGHT, True)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="22" font-size="15">{escape(title)}</text>']
    for y in up.ticks:
        out += [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up.at(y):.1f}" y2="{up.at(y):.1f}" stroke="#ddd"/>',
                f'<text x="{LEFT - 6}" y="{up.at(y) + 4:.1f}" text-anchor="end">{_text(y)}</text>']
    for x, text in [(i, n) for i, n in enumerate(names)] if names else [(x, _text(x)) for x in across.ticks]:
        anchor = "middle" if across.at(x) + 4 * len(text) < WIDTH else "end"
        out.append(f'<text x="{min(across.at(x), WIDTH - 4):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="{anchor}">{escape(text)}</text>')
    out += [f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.1f}" y="{HEIGHT - BOTTOM + 36}" text-anchor="middle">{escape(x_label)}</text>',
            f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.1f}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>']
    at = LEFT
    for i, (name, line) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in sorted(line))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{across.at(x):.1f}" cy="{up.at(y):.1f}" r="3" fill="{colour}"/>' for x, y in sorted(line)]
        out += [f'<rect x="{at:.1f}" y="{HEIGHT - 22}" width="12" height="12" fill="{colour}"/>',
                f'<text x="{at + 16:.1f}" y="{HEIGHT - 12}">{escape(name)}</text>']
        at += 34 + 6.5 * len(name)  # a letter is about 6.5 units wide
    return "\n".join(out + ["</svg>"]) + "\n"
