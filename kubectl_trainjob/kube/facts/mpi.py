"""The implementations of MPI: a line of the hostfile, and the variables of the launcher.

Open MPI mirrors trainer `pkg/runtime/framework/plugins/mpi` (2.0-2.3). No release of Trainer has Intel MPI and MPICH:
they mirror `newLauncherPodTemplate` in kubeflow/mpi-operator `pkg/controller/mpi_job_controller.go` (0.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from kubectl_trainjob.kube.facts.trainer import OPEN_MPI

HOSTFILE = "/etc/mpi/hostfile"
INTEL, MPICH = "Intel", "MPICH"
ROLE_VARIABLE = "K_MPI_JOB_ROLE"
"""The entry points of the operator's images for Intel MPI and MPICH wait for all host names of this role."""

_SSH_OPTIONS = "-o ConnectionAttempts=10"


class MpiImplementation(NamedTuple):
    """`separator` is between a host and its slots in the hostfile; `{slots}` in a variable is their number."""

    separator: str
    launcher_variables: Mapping[str, str]


IMPLEMENTATIONS: Mapping[str, MpiImplementation] = MappingProxyType(
    {
        OPEN_MPI: MpiImplementation(
            " slots=",
            {
                "OMPI_MCA_orte_default_hostfile": HOSTFILE,
                "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
                "OMPI_MCA_orte_set_default_slots": "{slots}",
                "OMPI_MCA_plm_rsh_args": _SSH_OPTIONS,
            },
        ),
        INTEL: MpiImplementation(
            ":",
            {
                "I_MPI_HYDRA_HOST_FILE": HOSTFILE,
                "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": _SSH_OPTIONS,
                "I_MPI_PERHOST": "{slots}",
            },
        ),
        MPICH: MpiImplementation(":", {"HYDRA_HOST_FILE": HOSTFILE, "HYDRA_LAUNCH_EXTRA_ARGS": _SSH_OPTIONS}),
    }
)
HYDRA = (INTEL, MPICH)
"""Those whose processes Hydra starts, which no controller of Trainer supports."""
