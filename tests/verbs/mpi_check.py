"""An MPI program: every rank sends bytes to every other in several ways, and compares what arrives. Prints "all right" at rank 0."""
import sys

from mpi4py import MPI

SIZES = 0, 1, 1000, 8193, 300_000, 2_000_001


def pattern(rank, to, size):
    return bytes((rank * 31 + to * 7 + i) & 0xff for i in range(min(size, 4096))) * (size // 4096 + 1)


def differences(what, got, wanted):
    return [] if got == wanted else [what]


def main():
    comm = MPI.COMM_WORLD
    rank, ranks, bad = comm.rank, comm.size, []
    for size in SIZES:
        around = comm.sendrecv(pattern(rank, 0, size)[:size], dest=(rank + 1) % ranks, source=(rank - 1) % ranks)
        bad += differences(f"ring of {size}", around, pattern((rank - 1) % ranks, 0, size)[:size])
        got = comm.alltoall([pattern(rank, to, size)[:size] for to in range(ranks)])
        bad += differences(f"alltoall of {size}", got, [pattern(of, rank, size)[:size] for of in range(ranks)])
    bad += differences("allreduce", comm.allreduce(rank + 1), ranks * (ranks + 1) // 2)
    window = MPI.Win.Allocate(4096, comm=comm)
    window.Fence()
    window.Put(bytearray([rank + 1]) * 4096, (rank + 1) % ranks)
    window.Fence()
    bad += differences("put", bytes(window.tomemory()), bytes([(rank - 1) % ranks + 1]) * 4096)
    window.Free()
    bad = [f"rank {of}: {line} differs" for of, lines in enumerate(comm.allgather(bad)) for line in lines]
    if rank == 0:
        print("\n".join(bad) or f"all right with {ranks} ranks", flush=True)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
