"""The one way to a language model: any OpenAI-compatible server, a cache, or recorded replies."""

from evalplus_lite.llm.base import ModelSource
from evalplus_lite.llm.client import Client
from evalplus_lite.llm.errors import CutOffError, NotRecordedError, RefusalError, ServerError
from evalplus_lite.llm.messages import Exchange, Message, Prices, Reply, Request, Usage
from evalplus_lite.llm.recorded import Cache, Replay, write_exchanges

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
