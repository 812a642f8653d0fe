// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Public proof that a hash was known at a time
/// @notice Keeps no storage, holds no money, has no owner: it only emits. Anybody may call it, so a reader must look at
/// `sender` to know whose statement an event is.
contract Anchor {
    event MandateAnchored(bytes32 indexed mandateHash, string state, uint256 ts, address indexed sender);
    event ReceiptAnchored(bytes32 receiptHash, string receiptId, uint256 ts, address sender);

    enum Kind {
        Receipt,
        Mandate
    }

    /// @param label The receipt's id, or the state the mandate has entered.
    struct Entry {
        Kind kind;
        bytes32 hash;
        string label;
    }

    function anchorMandate(bytes32 mandateHash, string calldata state) external {
        emit MandateAnchored(mandateHash, state, block.timestamp, msg.sender);
    }

    function anchorReceipt(bytes32 receiptHash, string calldata receiptId) external {
        emit ReceiptAnchored(receiptHash, receiptId, block.timestamp, msg.sender);
    }

    /// @notice Emits one event per entry, in the order given.
    function anchorBatch(Entry[] calldata entries) external {
        for (uint256 i = 0; i < entries.length; i++) {
            Entry calldata entry = entries[i];
            if (entry.kind == Kind.Receipt) {
                emit ReceiptAnchored(entry.hash, entry.label, block.timestamp, msg.sender);
            } else {
                emit MandateAnchored(entry.hash, entry.label, block.timestamp, msg.sender);
            }
        }
    }
}
