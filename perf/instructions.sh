#!/bin/bash
# Counts instructions with callgrind: instructions.sh --help
exec /usr/bin/python3 "$(dirname "$(readlink -f "$0")")/instructions.py" "$@"
