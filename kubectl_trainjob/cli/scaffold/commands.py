"""The command of an example job, by framework: it tests that the nodes find each other.

The names of the environment and of the hostfile are those of trainer `pkg/runtime/framework/plugins`.
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """`words` start `script`, "" for none; `about` explains it, and `own` starts the user's program."""

    about: str
    own: str
    words: tuple[str, ...]
    script: str = ""
    needs_gpus: bool = False


_TORCH = """\
import torch.distributed as dist

dist.init_process_group()
print(f"rank {dist.get_rank()} of {dist.get_world_size()}")
dist.destroy_process_group()
"""

_MPI = """\
import os

print(f"rank {os.environ['OMPI_COMM_WORLD_RANK']} of {os.environ['OMPI_COMM_WORLD_SIZE']}")
"""

_JAX = """\
import os

import jax

jax.distributed.initialize(
    os.environ["JAX_COORDINATOR_ADDRESS"],
    int(os.environ["JAX_NUM_PROCESSES"]),
    int(os.environ["JAX_PROCESS_ID"]),
)
print(f"process {jax.process_index()} of {jax.process_count()}")
"""

_XGBOOST = """\
import os

from xgboost import collective
from xgboost.tracker import RabitTracker

rank, workers = int(os.environ["DMLC_TASK_ID"]), int(os.environ["DMLC_NUM_WORKER"])
host, port = os.environ["DMLC_TRACKER_URI"], int(os.environ["DMLC_TRACKER_PORT"])
if rank == 0:
    tracker = RabitTracker(n_workers=workers, host_ip="0.0.0.0", port=port)
    tracker.start()
with collective.CommunicatorContext(
    dmlc_tracker_uri=host, dmlc_tracker_port=port, dmlc_task_id=str(rank)
):
    print(f"worker {collective.get_rank()} of {collective.get_world_size()}")
"""

PLAIN = Command(
    "Each node runs the command.", "python, evaluate.py", ("sh", "-c"), 'echo "node $JOB_COMPLETION_INDEX"\n'
)

COMMANDS = {
    "torch": Command(
        "torchrun finds the other nodes through the PET_* environment.",
        "torchrun, train.py",
        ("torchrun", "--no-python", "python", "-c"),
        _TORCH,
        needs_gpus=True,
    ),
    "mpi": Command(
        "Open MPI 5 does not read the path of the hostfile from the environment.",
        "mpirun, --hostfile, /etc/mpi/hostfile, python, train.py",
        ("mpirun", "--hostfile", "/etc/mpi/hostfile", "python", "-c"),
        _MPI,
        needs_gpus=True,
    ),
    "jax": Command(
        "JAX only reads the address of the coordinator from the JAX_* environment.",
        "python, train.py",
        ("python", "-c"),
        _JAX,
        needs_gpus=True,
    ),
    "xgboost": Command(
        "The first node runs the tracker. All nodes are workers.", "python, train.py", ("python", "-c"), _XGBOOST
    ),
    "flux": Command("Flux runs the command on all nodes.", "python, train.py", ("hostname",)),
}
"""By the field of the runtime's `mlPolicy`."""
