"""SandboxStatus: whether generated code may run on this host, and why not."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from synthesis.errors import SandboxUnavailable
from synthesis.worlds.sandbox.layer import Layer
from synthesis.worlds.sandbox.mode import VARIABLE, SandboxMode

_OPT_OUT = f"To run code that you trust without it, set {VARIABLE}={SandboxMode.TRUSTED_CODE_ONLY}."


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxStatus:
    """The sandbox on this host.

    Args:
        mode: What the operator chose.
        host: System, release and machine.
        layers: Every layer, required ones first.
        waivable: Whether the operator's opt-out covers what is missing; a failed self-test has none.
    """

    mode: SandboxMode
    host: str
    layers: tuple[Layer, ...]
    waivable: bool = True

    @property
    def missing(self) -> tuple[Layer, ...]:
        """The required layers that are not in force."""
        return tuple(layer for layer in self.layers if layer.required and not layer.in_force)

    @property
    def sealed(self) -> bool:
        """Whether the boundary holds here."""
        return not self.missing

    @property
    def waived(self) -> bool:
        """Whether code runs without the boundary because the operator trusts it."""
        return not self.sealed and self.waivable and self.mode is SandboxMode.TRUSTED_CODE_ONLY

    @property
    def usable(self) -> bool:
        """Whether generated code is run here at all."""
        return self.sealed or self.waived

    @property
    def refusal(self) -> str:
        """Why generated code is not run here and what to do about it; empty when it is run."""
        if self.usable:
            return ""
        named = " ".join(f"{layer.name}: {layer.detail}. {layer.remedy}" for layer in self.missing)
        way_round = _OPT_OUT if self.waivable else ""
        return f"Generated code is not run on this host ({self.host}). {named} {way_round}".strip()

    @property
    def notices(self) -> tuple[str, ...]:
        """What operators should know although code is run."""
        notices = []
        if self.waived:
            names = ", ".join(layer.name for layer in self.missing)
            notices.append(
                f"{VARIABLE}={self.mode}: generated code runs WITHOUT {names}. "
                "This protects against accidents only; run only code that you trust."
            )
        optional = [layer.name for layer in self.layers if not layer.required and not layer.in_force]
        if optional:
            notices.append(f"Not available on this host, and not required: {', '.join(optional)}.")
        return tuple(notices)

    def require(self) -> None:
        """Return when generated code may be run here.

        Raises:
            SandboxUnavailable: It may not; the text names what is missing and the way out.
        """
        if not self.usable:
            raise SandboxUnavailable(self.refusal)

    def as_json(self) -> dict[str, Any]:
        """The same as plain values, for ``/health``."""
        return {
            "mode": str(self.mode),
            "host": self.host,
            "sealed": self.sealed,
            "usable": self.usable,
            "notices": list(self.notices),
            "layers": [asdict(layer) for layer in self.layers],
        }
