"""Access to language models: any OpenAI-compatible server, a cache, or recorded replies."""

from evalplus_lite.models.client import Client
from evalplus_lite.models.errors import (
    CutOffError,
    ModelSource,
    NotRecordedError,
    RefusalError,
    ServerError,
)
from evalplus_lite.models.messages import Exchange, Message, Prices, Reply, Request, Usage
from evalplus_lite.models.recorded import Cache, Replay, write_exchanges

__all__ = [
    "Cache",
    "Client",
    "CutOffError",
    "Exchange",
    "Message",
    "ModelSource",
    "NotRecordedError",
    "Prices",
    "RefusalError",
    "Replay",
    "Reply",
    "Request",
    "ServerError",
    "Usage",
    "write_exchanges",
]
