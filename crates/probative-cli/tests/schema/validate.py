"""Holds documents to JSON Schemas: reads {schemas, documents} and writes what each document is told, null if it is valid."""
import json
import sys

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

sys.setrecursionlimit(100_000)
asked = json.load(sys.stdin)
validators = {}
for name, schema in asked["schemas"].items():
    Draft202012Validator.check_schema(schema)
    validators[name] = Draft202012Validator(schema)
told = []
for document in asked["documents"]:
    validator = validators[document["schema"]]
    if validator.is_valid(document["value"]):
        told.append(None)
    else:
        error = best_match(validator.iter_errors(document["value"]))
        told.append(f"{error.json_path}: {error.message[:300]}")
json.dump(told, sys.stdout)
