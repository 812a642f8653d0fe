#!/usr/bin/env python3
"""Verifies a receipt bundle: docs/receipts.md, in Python, with its standard library alone.

    python3 verify_receipt.py bundle.json --rpc https://… --contract 0x… --sender 0x… [--sender 0x…]

Exit code 0: valid; 1: not valid; 3: no verdict, because the file cannot be read or the node does not say enough.
"""

import argparse
import hashlib
import json
import re
import sys
import urllib.request

ANCHORED = "0xd32a3b57c4f8bf0146d4adf686ba6137a52e285fc8ef8df11052097b6986bb8a"
REVOKED = "0x2449253bf98d06b38bb9433e87cb807c8625346fe80415d172278ef274511180"
LARGEST = 2**53 - 1
DEEPEST = 8


class NoVerdict(Exception):
    """The node does not say enough."""


def verify(bundle, ask, issuer):
    """'valid', or the name of what is wrong. `ask(method, params)` asks a node."""
    if not is_bundle(bundle):
        return "malformed_bundle"
    if receipt_hash(bundle["claims"]) != bundle["hash"]:
        return "wrong_hash"
    anchor = bundle["anchor"]
    if anchor is None:
        return "not_anchored"
    path = [unhex(step) for step in bundle["path"]]
    root = root_from(unhex(bundle["hash"]), int(bundle["index"]), int(bundle["size"]), path)
    if root is None or tohex(root) != anchor["root"]:
        return "wrong_path"
    found = read_anchor(ask, anchor)
    if isinstance(found, str):
        return found
    sender, size = found
    if size != bundle["size"]:
        return "wrong_size"
    if issuer.get("chainId", anchor["chainId"]) != anchor["chainId"]:
        return "wrong_chain"
    if issuer["contract"].lower() != anchor["contract"]:
        return "wrong_contract"
    if sender not in [one.lower() for one in issuer["senders"]]:
        return "wrong_sender"
    return "revoked" if is_revoked(ask, bundle["hash"], anchor, sender) else "valid"


# The form of a bundle


def is_bundle(bundle):
    always = {"version": lambda it: is_count(it) and it == 2, "hash": is_hash, "claims": is_claims}
    placed = {"index": is_count, "size": is_count, "path": is_path, "anchor": is_anchor}
    unplaced = {"anchor": lambda it: it is None}
    named = {"receiptId": lambda it: isinstance(it, str)}
    if not (is_record(bundle, {**always, **placed}, named) or is_record(bundle, {**always, **unplaced}, named)):
        return False
    shown = [claim for claim in bundle["claims"] if "name" in claim]
    names = [claim["name"] for claim in shown]
    if any(one >= other for one, other in zip(names, names[1:])):
        return False
    if "receiptId" not in bundle:
        return True
    return [bundle["receiptId"]] == [claim["value"] for claim in shown if claim["name"] == "receiptId"]


def is_record(value, members, others=None):
    if not isinstance(value, dict) or not members.keys() <= value.keys():
        return False
    checks = {**(others or {}), **members}
    return all(name in checks and checks[name](item) for name, item in value.items())


def is_hex(length):
    return lambda it: isinstance(it, str) and bool(re.fullmatch("0x[0-9a-f]{%d}" % (2 * length), it))


is_hash = is_hex(32)


def is_count(value):
    return is_integer(value) and value >= 0


def is_path(value):
    return isinstance(value, list) and all(is_hash(step) for step in value)


def is_anchor(value):
    numbers = {"chainId": is_count, "blockNumber": is_count, "logIndex": is_count}
    return is_record(value, {**numbers, "contract": is_hex(20), "txHash": is_hash, "root": is_hash})


def is_claims(value):
    return isinstance(value, list) and len(value) > 0 and all(is_claim(claim) for claim in value)


def is_claim(value):
    return is_record(value, {"hash": is_hash}) or is_record(
        value, {"salt": is_hex(16), "name": is_name, "value": is_value}
    )


def is_name(value):
    return isinstance(value, str) and bool(re.fullmatch("[a-z][A-Za-z0-9]*", value))


def is_value(value, depth=0):
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, (int, float)):
        return is_integer(value)
    if depth == DEEPEST:
        return False
    names, items = (value.keys(), value.values()) if isinstance(value, dict) else ([], value)
    return all(is_text(name) for name in names) and all(is_value(item, depth + 1) for item in items)


def is_integer(value):
    """1.0 and 1e2 are integers, too: JSON has but one kind of number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= LARGEST and value == int(value)


def is_text(value):
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in value)


# Hashes


def receipt_hash(claims):
    leaves = [unhex(claim["hash"]) if "hash" in claim else claim_hash(claim) for claim in claims]
    return tohex(sha256(b"\x02", len(leaves).to_bytes(4, "big"), root_of(leaves)))


def claim_hash(claim):
    text = canonical([claim["name"], claim["value"]])
    return sha256(b"\x00", unhex(claim["salt"]), text.encode("utf-8"))


def canonical(value):
    """RFC 8785."""
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return str(int(value))
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be"))
    return "{" + ",".join(canonical(name) + ":" + canonical(item) for name, item in members) + "}"


def root_of(leaves):
    if len(leaves) == 1:
        return leaves[0]
    split = split_of(len(leaves))
    return node_of(root_of(leaves[:split]), root_of(leaves[split:]))


def root_from(leaf, index, size, path):
    """None where a tree of `size` leaves has no such path."""
    if index >= size:
        return None
    if size == 1:
        return None if path else leaf
    if not path:
        return None
    split, rest, other = split_of(size), path[:-1], path[-1]
    if index < split:
        own = root_from(leaf, index, split, rest)
        return None if own is None else node_of(own, other)
    own = root_from(leaf, index - split, size - split, rest)
    return None if own is None else node_of(other, own)


def split_of(size):
    """The largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


def node_of(left, right):
    return sha256(b"\x01", left, right)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unhex(text):
    return bytes.fromhex(text[2:])


def tohex(data):
    return "0x" + data.hex()


# The chain


def read_anchor(ask, anchor):
    """Sender and size of the batch, or the name of what is wrong."""
    if number(ask("eth_chainId", [])) != anchor["chainId"]:
        raise NoVerdict("the node is of another chain")
    receipt = ask("eth_getTransactionReceipt", [anchor["txHash"]])
    if receipt is None:
        return "transaction_not_found"
    if receipt["status"] != "0x1":
        return "failed_transaction"
    wanted = [ANCHORED, anchor["root"]]
    events = [log for log in receipt["logs"] if is_event(log, anchor["contract"], wanted) and len(log["data"]) == 130]
    if not events:
        return "event_not_found"
    event = next((log for log in events if number(log["logIndex"]) == anchor["logIndex"]), None)
    if event is None or number(receipt["blockNumber"]) != anchor["blockNumber"]:
        return "stale_place"
    block = ask("eth_getBlockByNumber", [receipt["blockNumber"], False])
    if block is None or block["hash"] != receipt["blockHash"]:
        raise NoVerdict("the block is not the one of the transaction: try again")
    sender = "0x" + event["topics"][2][-40:].lower()
    size, seconds = int(event["data"][2:66], 16), int(event["data"][66:], 16)
    if sender != receipt["from"].lower() or seconds != number(block["timestamp"]):
        return "forged_event"
    return sender, size


def is_revoked(ask, receipt, anchor, sender):
    topics = [REVOKED, receipt, "0x" + sender[2:].rjust(64, "0")]
    head = number(ask("eth_blockNumber", []))
    if head < anchor["blockNumber"]:
        raise NoVerdict("the node has not seen the block yet")
    # Many nodes limit how many blocks they search at once: then ask for parts.
    place = {"fromBlock": hex(int(anchor["blockNumber"])), "toBlock": hex(head)}
    logs = ask("eth_getLogs", [{"address": anchor["contract"], "topics": topics, **place}])
    return any(is_event(log, anchor["contract"], topics) for log in logs)


def is_event(log, contract, wanted):
    topics = [topic.lower() for topic in log["topics"]]
    return log["address"].lower() == contract and len(topics) == 3 and topics[: len(wanted)] == wanted


def number(quantity):
    if not isinstance(quantity, str) or not re.fullmatch("0x[0-9a-fA-F]+", quantity):
        raise NoVerdict("the node answered nothing of sense")
    return int(quantity, 16)


def node_at(url):
    def ask(method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(url, body.encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)["result"]
        except (OSError, ValueError, KeyError) as error:
            raise NoVerdict("the node does not answer: %s" % error) from error

    return ask


def main():
    parser = argparse.ArgumentParser(description="Verify a receipt bundle.")
    parser.add_argument("bundle")
    parser.add_argument("--rpc", required=True)
    parser.add_argument("--contract", required=True)
    parser.add_argument("--sender", required=True, action="append")
    given = parser.parse_args()
    try:
        with open(given.bundle, encoding="utf-8") as file:
            bundle = json.load(file)
    except (OSError, ValueError) as error:
        print("no verdict: %s" % error)
        return 3
    try:
        verdict = verify(bundle, node_at(given.rpc), {"contract": given.contract, "senders": given.sender})
    except NoVerdict as error:
        print("no verdict: %s" % error)
        return 3
    print(verdict)
    if verdict == "valid":
        for claim in bundle["claims"]:
            if "name" in claim:
                print("%s: %s" % (claim["name"], json.dumps(claim["value"])))
    return 0 if verdict == "valid" else 1


if __name__ == "__main__":
    sys.exit(main())
