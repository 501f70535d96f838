"""Headers of every response: a page of ours loads, runs and asks for nothing from elsewhere."""

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256


def content_security_policy(index: str) -> str:
    """What a page may load and run.

    Parameters
    ----------
    index
        The HTML that is served; what its own scripts say inline is allowed by its digest.
    """
    inline = re.findall(r"<script>(.*?)</script>", index, flags=re.DOTALL)
    digests = " ".join(f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in inline)
    return "; ".join(
        [
            "default-src 'none'",
            # The explorer's own script is text that is imported from a blob; tables ask for WebAssembly.
            f"script-src 'self' blob: 'wasm-unsafe-eval' {digests}",
            "style-src 'self' 'unsafe-inline'",  # Streamlit writes its styles while it runs
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


def security_headers(index: str) -> dict[bytes, bytes]:
    """Name → value, as bytes.

    Parameters
    ----------
    index
        As in `content_security_policy`.
    """
    headers = {
        "content-security-policy": content_security_policy(index),
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",  # an address names the user's files
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
    return {name.encode(): value.encode() for name, value in headers.items()}


def with_security(
    headers: Iterable[tuple[bytes, bytes]], security: dict[bytes, bytes]
) -> list[tuple[bytes, bytes]]:
    """Headers of a response with those of `security` in place of its own of the same names."""
    return [one for one in headers if one[0].lower() not in security] + list(security.items())
