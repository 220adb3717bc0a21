"""The options of `controller`, and the parts of the loop that they choose."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from kubectl_trainjob.cli.cluster_options import ClusterRequest

if TYPE_CHECKING:
    from kubectl_trainjob.cluster.controller.leader import Leader
    from kubectl_trainjob.cluster.controller.publish import ArchiveStore
    from kubectl_trainjob.cluster.controller.reconcile import LoopSource
    from kubectl_trainjob.cluster.protocol import Clock, Connection


@dataclass(frozen=True, slots=True)
class LoopRequest(ClusterRequest):
    """The options of both commands, by their names."""

    mode: str
    namespace: str
    all_namespaces: bool
    directory: tuple[tuple[str, str], ...]
    concurrent: int
    resync: float
    default_service_account: str
    no_cross_namespace_refs: bool
    shadow: bool
    trainer_version: str
    leader_elect: bool
    leader_elect_lease_duration: float
    leader_elect_renew_deadline: float
    leader_elect_retry_period: float
    lease_namespace: str
    storage_path: str
    storage_addr: str
    storage_adv_address: str
    metrics_bind_address: str
    health_probe_bind_address: str

    def check(self) -> None:
        """Raise a usage error for options that contradict each other."""
        if self.namespace and self.all_namespaces:
            raise click.UsageError("-n and -A cannot be used together")
        names = [name for name, _ in self.directory]
        if repeated := next((name for name in names if names.count(name) > 1), ""):
            raise click.UsageError(f'--directory "{repeated}" is duplicate; use another name')
        if self.resync < 1:
            raise click.UsageError("--resync must be 1s or longer")
        if self.trainer_version and not self.shadow:
            raise click.UsageError("--trainer-version needs --shadow; for files, set target.trainer in trainjob.yaml")
        if self.storage_adv_address and not self.storage_path:
            raise click.UsageError("--storage-adv-address needs --storage-path, a directory for the archives")
        times = self.leader_elect_lease_duration, self.leader_elect_renew_deadline, self.leader_elect_retry_period
        if not times[0] > times[1] > times[2] > 0:
            raise click.UsageError(
                "the duration of the Lease must be longer than --leader-elect-renew-deadline, "
                "and this longer than --leader-elect-retry-period"
            )

    def watched(self, home: str) -> str:
        """The namespace of the TrainingSets, "" for all; `home` is that of the context, or of the Pod."""
        return "" if self.all_namespaces else self.namespace or home

    def leader(self, connection: Connection, clock: Clock) -> Leader | None:
        """This replica in the election, None without one."""
        import socket
        import uuid

        from kubectl_trainjob.cluster.controller.leader import Leader, LeaseTimes

        if not self.leader_elect:
            return None
        times = LeaseTimes(
            self.leader_elect_lease_duration, self.leader_elect_renew_deadline, self.leader_elect_retry_period
        )
        namespace = self.lease_namespace or self.namespace or connection.namespace
        return Leader(connection, clock, namespace, f"{socket.gethostname()}_{uuid.uuid4()}", times)

    def storage(self) -> ArchiveStore | None:
        """What serves artifacts, None without an address."""
        from kubectl_trainjob.cluster.controller.publish import ArchiveStore, empty_directory

        if not self.storage_adv_address:
            return None
        directory = os.path.join(self.storage_path, "kubectl-trainjob-artifacts")
        return ArchiveStore(empty_directory(directory), self.storage_adv_address)

    def unpacked(self) -> str:
        """Where artifacts are unpacked, "" for the temporary directory of the system."""
        from kubectl_trainjob.cluster.controller.publish import empty_directory

        is_own = self.mode == "run" and self.storage_path
        return empty_directory(os.path.join(self.storage_path, "kubectl-trainjob-unpacked")) if is_own else ""

    def source(self, storage: ArchiveStore | None) -> LoopSource:
        """How sources are opened, built and published."""
        from kubectl_trainjob.cli.training_set import SourceOptions, loop_source

        directories = {name: os.path.abspath(path) for name, path in self.directory}
        crosses = not self.no_cross_namespace_refs
        account, version = self.default_service_account, self.trainer_version
        found = SourceOptions(directories, account, crosses, self.unpacked(), self.shadow, version)
        return loop_source(found, storage)
