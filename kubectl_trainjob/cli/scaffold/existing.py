"""What a repository has already: its root, its settings, the runtimes that its jobs can refer to."""

from __future__ import annotations

import os
from dataclasses import dataclass

from kubectl_trainjob.kube.facts.kinds import is_runtime
from kubectl_trainjob.kube.facts.supported import LATEST_TRAINER
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.limits import LIMITS
from kubectl_trainjob.model.stages import Manifest
from kubectl_trainjob.repository.files.catalogue_runtimes import packaged_runtimes
from kubectl_trainjob.repository.files.config import Config, read_config
from kubectl_trainjob.repository.files.decode import decode
from kubectl_trainjob.repository.files.filesystem import Workspace, current_root
from kubectl_trainjob.repository.files.find_root import CONFIG_FILE, is_configured
from kubectl_trainjob.repository.files.read import read
from kubectl_trainjob.repository.files.root import SecureRoot, TooLargeError, UnsafePathError


@dataclass(frozen=True, slots=True, eq=False)
class Existing:
    """A repository; `directory` is its root as shown to users, `diagnostics` are the errors in its settings.

    `runtimes_folder` is relative to the root.
    """

    directory: str
    trainer_version: str
    runtimes_folder: str
    runtimes: tuple[Manifest, ...]
    diagnostics: tuple[Diagnostic, ...]

    def has(self, directory: str) -> bool:
        """Whether a directory of this name is below the root."""
        return os.path.isdir(os.path.join(self.directory, directory))


def existing(workspace: Workspace) -> Existing:
    """The repository around the current directory. Raises EnvironmentFault for what cannot be read."""
    shown = current_root(workspace.files)
    root = SecureRoot(workspace.files.current.real(shown))
    config, diagnostics = _config(root, os.path.normpath(os.path.join(shown, CONFIG_FILE)))
    folder = (config.runtimes or Config().runtimes)[0]
    trainer = config.trainer or LATEST_TRAINER
    packaged = packaged_runtimes(trainer) if config.catalog else ()
    runtimes = () if diagnostics else (*_runtimes(root, shown, config, workspace), *packaged)
    return Existing(shown, trainer, folder, runtimes, tuple(diagnostics))


def _config(root: SecureRoot, shown: str) -> tuple[Config, list[Diagnostic]]:
    if not is_configured(root.directory):
        return Config(), []
    try:
        file = decode(shown, root.read(CONFIG_FILE, LIMITS.file_bytes))
    except (UnsafePathError, TooLargeError) as error:
        raise EnvironmentFault(f"{shown}: {error or 'it is too large'}") from None
    return (Config(), [file]) if isinstance(file, Diagnostic) else read_config(file)


def _runtimes(root: SecureRoot, shown: str, config: Config, workspace: Workspace) -> tuple[Manifest, ...]:
    """The runtimes in the directories of the settings; what is broken there is of no use to a job."""
    folders = [os.path.normpath(os.path.join(shown, each)) for each in config.runtimes if root.has_directory(each)]
    return tuple(filter(is_runtime, read(folders, workspace).inputs if folders else ()))
