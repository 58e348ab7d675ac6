"""Drives an MCP server with the official Python SDK: the calls come in as JSON lines, the answers go out as JSON lines.

Usage: python serve-client.py PROGRAM ARGUMENTS...

First line out  {"server": {...}, "protocol": "...", "tools": [...]}
Request         {"name": "generate", "arguments": {...}}
Answer          the result as it came, or {"raised": "..."} if the SDK refuses it (it judges structured content itself)

Works with both generations of the SDK, which name their fields differently but alias them to the names on the wire.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def tell(value):
    print(json.dumps(value), flush=True)


async def main():
    parameters = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        opening = plain(await session.initialize())
        listing = plain(await session.list_tools())
        tell({"server": opening["serverInfo"], "protocol": opening["protocolVersion"], "tools": listing["tools"]})
        for line in sys.stdin:
            call = json.loads(line)
            try:
                tell(plain(await session.call_tool(call["name"], call["arguments"])))
            except Exception as error:  # What the SDK thinks of an answer is what is asked for.
                tell({"raised": str(error)})


asyncio.run(main())
