"""The eight assertions over responses, one JSON object a line: prints the ids of those that fail."""

import re
import sys

import orjson

JOURNAL = re.compile("^journal/")


def passes(response):
    results, pagination = response["results"], response["pagination"]
    relevance = [result["relevance"] for result in results]
    return (
        response["status"] == "success"
        and len(results) <= 5
        and "results" in response and "total" in pagination and "summary" in response
        and pagination["offset"] == 0
        and all(JOURNAL.search(result["file"]) for result in results)
        and all({"work", "security"}.issubset(result["metadata"]["tags"]) for result in results)
        and all(0.0 <= value <= 1.0 for value in relevance)
        and all(earlier >= later for earlier, later in zip(relevance, relevance[1:]))
    )


with open(sys.argv[1], "rb") as lines:
    for line in lines:
        response = orjson.loads(line)
        if not passes(response):
            print(response["id"])
