"""Judging for others: an HTTP server, adapters for trainers and harnesses, audits of verifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalplus_lite.lazy import lazily

if TYPE_CHECKING:
    from evalplus_lite.serving.audit.auditing import ProgramSet as ProgramSet
    from evalplus_lite.serving.audit.auditing import VerifierAudit as VerifierAudit
    from evalplus_lite.serving.audit.auditing import audit_verifier as audit_verifier
    from evalplus_lite.serving.audit.own_programs import own_programs as own_programs

__all__, __getattr__, __dir__ = lazily(__name__)
