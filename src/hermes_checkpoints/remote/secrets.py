"""Tells what looks like a secret, by the name of a file and by what stands in it.

What has left the machine cannot be called back, so a file that only may hold a secret counts. The
names are those that are never captured by themselves (``object_store.rules``) and more that a rule
of a project may have let in; the contents are the forms in which well-known services give keys
out. A password that somebody chose has no form: nothing here finds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate

from hermes_checkpoints.object_store.rules import BUILT_IN_EXCLUDES

LOOKED_AT = 1 << 20
"""How many bytes of a file are looked at, from its begin."""

_NAMES = (
    *BUILT_IN_EXCLUDES["secrets"],
    *("*.env", "*.ppk", "*.kdbx", "*.tfstate", "*.tfstate.*", "*.gpg-key", "*.asc-key"),
    *(".git-credentials", ".dockercfg", ".s3cfg", ".boto", ".my.cnf", ".vault-token"),
    *("application_default_credentials.json", "client_secret*.json", "service-account*.json"),
    *("service_account*.json", "secrets.yaml", "secrets.yml", "secrets.json", "secrets.toml"),
    *("*.ovpn", "id_ecdsa_sk", "id_ed25519_sk"),
)
_PLACES = (
    *(".ssh/*", ".aws/credentials", ".kube/config", ".docker/config.json", ".gnupg/*"),
    *(".config/gcloud/*", ".config/gh/hosts.yml", ".azure/*", ".oci/config"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml"),
)
_OPEN = (
    *("*.pub", "known_hosts", "*.example", "*.sample", "*.template", "*.dist", "*.tmpl"),
    *("*.example.*", "*.sample.*", "*.template.*"),
)
"""What is named like a secret and is meant to be seen; its contents are looked at all the same."""

_APART = rb"(?<![A-Za-z0-9])"
_FORMS = (
    (
        "a private key",
        ("-----BEGIN ",),
        (
            rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            rb"(?:\r?\n[A-Za-z-]{1,40}+: ?[^\r\n]{0,200}+){0,8}+[^-]{1,200}?[A-Za-z0-9+/]{32}"
        ),
    ),
    ("a private key", ("PuTTY-User-Key-File-",), rb"PuTTY-User-Key-File-[0-9]: "),
    ("an access key of AWS", ("AKIA", "ASIA"), rb"[A-Z]{4}[A-Z0-9]{16}(?![A-Za-z0-9])"),
    (
        "a token of GitHub",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        rb"(?:gh[pousr]|github_pat)_\w{36,255}",
    ),
    ("a token of GitLab", ("glpat-",), rb"glpat-[\w-]{20,255}"),
    (
        "a token of Slack",
        ("xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxs-"),
        rb"xox.-[A-Za-z0-9-]{10,255}",
    ),
    (
        "a key of a model's provider",
        ("sk-",),
        (
            rb"sk-(?:(?=[A-Za-z_-]{0,200}+[0-9])(?=[a-z0-9_-]{0,200}+[A-Z])[\w-]{24,255}"
            rb"|or-v1-[0-9a-f]{32,128})"
        ),
    ),
    ("a key of Stripe", ("sk_live_", "rk_live_"), rb".k_live_[A-Za-z0-9]{16,255}"),
    ("a key of Google", ("AIza",), rb"AIza[\w-]{35}(?![\w-])"),
    ("a token of npm", ("npm_",), rb"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("a token of PyPI", ("pypi-AgE",), rb"pypi-AgE[\w-]{50,500}"),
    ("a signed token", ("eyJ",), rb"eyJ[\w-]{10,1000}+\.eyJ[\w-]{10,4000}+\.[\w-]{20,1000}"),
)
_KINDS = tuple(
    (kind, begin.encode(), re.compile(_APART + form))
    for kind, begins, form in _FORMS
    for begin in begins
)
"""What each begins with is looked for by itself, which takes a hundredth of the time. No form is
without an end, and none is tried in two ways at one place: the time grows with the bytes that are
looked at, whoever wrote them."""
_TWO_BYTES = (b"\xff\xfe", b"\xfe\xff")
"""How a text begins of which each character takes two bytes, as some programs write it."""
_NO_SECRET = re.compile(rb"(?i)example|placeholder|changeme|x{8}|0{12}|(.)\1{11}")
"""What documentation has in the place of a key."""


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return one expression for all of some patterns of names."""
    return re.compile("|".join(map(translate, patterns)))


_IS_OPEN = _any_of(_OPEN)
_IS_NAMED = _any_of(_NAMES)
_IS_PLACED = _any_of(f"*/{one}" for one in _PLACES)


def suspicious_name(path: str) -> str | None:
    """Return why a file is held to have secrets for its name alone, None where it is not. Letters
    count in any case.

    >>> suspicious_name("deploy/.ENV.production")
    'named as files with secrets are'
    >>> suspicious_name("deploy/.env.example"), suspicious_name("src/environment.py")
    (None, None)
    """
    lower = path.lower()
    name = lower.rpartition("/")[2]
    if _IS_OPEN.match(name):
        return None
    if _IS_NAMED.match(name):
        return "named as files with secrets are"
    if _IS_PLACED.match(f"/{lower}"):
        return "where programs keep their passwords and keys"
    return None


def suspicious_contents(contents: bytes) -> str | None:
    """Return what the begin of a file has that looks like a secret, None where nothing does. The
    mere head of a key is none, as in a program that reads keys.

    >>> suspicious_contents(b"aws_access_key_id = AKIAQ3EGRT7PZLMK4WXY")
    'has what looks like an access key of AWS'
    >>> suspicious_contents(b"aws_access_key_id = AKIAIOSFODNN7EXAMPLE") is None  # documentation's
    True
    """
    looked_at = contents[:LOOKED_AT]
    if looked_at.startswith(_TWO_BYTES):
        looked_at = looked_at.decode("utf-16", "replace").encode("utf-8", "replace")
    for kind, begin, form in _KINDS:
        at = looked_at.find(begin)
        while at >= 0:
            found = form.match(looked_at, at)
            if found is None:
                at = looked_at.find(begin, at + 1)
            elif _NO_SECRET.search(found[0]):
                at = looked_at.find(begin, found.end())
            else:
                return f"has what looks like {kind}"
    return None
