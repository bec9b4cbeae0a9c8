"""The one way to a language model: any OpenAI-compatible server, a cache, or recorded replies."""

from evalplus_lite.llm.base import Source
from evalplus_lite.llm.client import Client
from evalplus_lite.llm.errors import CutOff, Failed, NotRecorded, Refused
from evalplus_lite.llm.messages import Exchange, Message, Prices, Reply, Request, Usage
from evalplus_lite.llm.recorded import Cache, Replay, write_exchanges

__all__ = [
    "Cache",
    "Client",
    "CutOff",
    "Exchange",
    "Failed",
    "Message",
    "NotRecorded",
    "Prices",
    "Refused",
    "Replay",
    "Reply",
    "Request",
    "Source",
    "Usage",
    "write_exchanges",
]
