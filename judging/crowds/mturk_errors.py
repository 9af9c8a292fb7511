"""Translates the errors of MTurk's protocol into CrowdErrors, which show whether a retry can help.

docs/marketplace-protocol.md lists the codes that the built-in marketplace uses.

The protocol documents no code for a reused request token, and names the existing HIT only in the message. So
:func:`crowd_error` reads these two from the message. Nothing else depends on a message's words.
"""

import re

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from judging.errors import (
    CrowdAlready,
    CrowdConfiguration,
    CrowdError,
    CrowdLater,
    CrowdMoney,
    CrowdNever,
    CrowdThrottled,
)

CONFIGURATION = {
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "AccessDeniedException",
    "InvalidClientTokenId",
    "MissingAuthenticationTokenException",
    "ExpiredTokenException",
}


def crowd_error(error: ClientError | BotoCoreError, endpoint: str) -> CrowdError:
    """Return the CrowdError for an error from boto3. Its class shows whether a retry can help."""
    if isinstance(error, ParamValidationError):
        return CrowdNever(f"The crowd's protocol does not allow this call: {error}", "Check the request.")
    if not isinstance(error, ClientError):
        return CrowdLater(
            f"The crowd at {endpoint} does not respond: {error}.", "The call is retried automatically."
        )
    said = error.response.get("Error", {})
    code, message = said.get("Code", ""), said.get("Message", "")
    detail = _turk_code(error)
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    words = f"{code} {detail}: {message}".replace(" :", ":")
    if "alreadyexists" in f"{code}{detail}".lower() or "already been processed" in message.lower():
        found = re.search(r"\b[A-Z0-9]{20,64}\b", message)
        return CrowdAlready(words, found.group(0) if found else "")
    if "insufficientfunds" in f"{code}{detail}".lower():
        return CrowdMoney(words, "Add money to the crowd account, then run the same command again.")
    if code in CONFIGURATION:
        return CrowdConfiguration(words, "Check the crowd's endpoint and keys (docs/settings.md).")
    if code in {"ThrottlingException", "RequestLimitExceeded"}:
        return CrowdThrottled(words, "Calls are slower for a while. This one is retried automatically.")
    if status >= 500 or code == "ServiceFault":
        return CrowdLater(words, "The call is retried automatically.")
    return CrowdNever(words, "Check the request. The same call will be refused again.")


def turk_error_code(error: CrowdError) -> str:
    """Return the TurkErrorCode of the response behind ``error`` in lower case, as its spelling varies; or ""."""
    return _turk_code(error.__cause__).lower() if isinstance(error.__cause__, ClientError) else ""


def error_header(error: CrowdError, name: str) -> str:
    """Return a header (in lower case) of the response behind ``error``, or "" if there is none."""
    if not isinstance(error.__cause__, ClientError):
        return ""
    return str(error.__cause__.response["ResponseMetadata"].get("HTTPHeaders", {}).get(name, ""))


def _turk_code(error: ClientError) -> str:
    return str(
        error.response.get("TurkErrorCode") or error.response.get("Error", {}).get("TurkErrorCode") or ""
    )
