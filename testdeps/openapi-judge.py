"""Asks openapi-core whether requests fit an OpenAPI document: one JSON request per line in, one JSON answer per line out.

Usage: python openapi-judge.py DOCUMENT

Servers and demands for credentials are taken out of the document first: neither is what is asked about.

Request  {"method": "POST", "target": "/pets?x=1", "headers": {...}, "body": "..."}
Answer   {"ok": true} or {"ok": false, "reason": "..."}
"""

import json
import sys
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, unquote, urlsplit

from openapi_core import OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict


SERVER = "http://localhost"


class Request:
    """A request as openapi-core wants to see it."""

    def __init__(self, line):
        parts = urlsplit(line["target"])
        headers = Headers(line["headers"])
        self.host_url = SERVER
        # Frameworks hand the path over decoded.
        self.path = unquote(parts.path)
        self.method = line["method"].lower()
        self.content_type = headers.get("Content-Type", "")
        body = line.get("body")
        self.body = None if body is None else body.encode()
        cookies = SimpleCookie(headers.get("Cookie", ""))
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(parse_qsl(parts.query, keep_blank_values=True)),
            header=headers,
            cookie=ImmutableMultiDict((name, morsel.value) for name, morsel in cookies.items()),
        )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    document["servers"] = [{"url": SERVER}]
    document.pop("security", None)
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict):
                operation.pop("security", None)
                operation.pop("servers", None)
        item.pop("servers", None)
    api = OpenAPI.from_dict(document)
    for line in sys.stdin:
        request = Request(json.loads(line))
        try:
            api.validate_request(request)
            answer = {"ok": True}
        except Exception as error:  # whatever it says is its answer
            cause = error.__cause__ or error
            details = [str(one) for one in getattr(cause, "schema_errors", [])]
            answer = {"ok": False, "reason": " | ".join([repr(error), repr(cause), *details])[:500]}
        print(json.dumps(answer), flush=True)


main()
