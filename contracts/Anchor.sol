// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Public proof that hashes were known at a time
/// @notice Keeps no storage, holds no money, has no owner: it only emits. Anybody may call it, so a reader must look at
/// `sender` to know whose statement an event is.
contract Anchor {
    /// @param root Of a Merkle tree whose leaves are the hashes of `count` receipts.
    event ReceiptsAnchored(bytes32 indexed root, uint256 count, uint256 ts, address indexed sender);
    /// @notice Counts only if the sender is the one that anchored the receipt.
    event ReceiptRevoked(bytes32 indexed receiptHash, uint256 ts, address indexed sender);
    event MandateAnchored(bytes32 indexed mandateHash, string state, uint256 ts, address indexed sender);

    enum Kind {
        Batch,
        Mandate,
        Revocation
    }

    /// @param hash The root of a batch, or the hash of a mandate or of a revoked receipt.
    /// @param count The receipts of a batch.
    /// @param state The state that a mandate has entered.
    struct Entry {
        Kind kind;
        bytes32 hash;
        uint256 count;
        string state;
    }

    /// @notice Emits one event per entry, in the order given.
    function anchor(Entry[] calldata entries) external {
        for (uint256 i = 0; i < entries.length; i++) {
            Entry calldata entry = entries[i];
            if (entry.kind == Kind.Batch) {
                emit ReceiptsAnchored(entry.hash, entry.count, block.timestamp, msg.sender);
            } else if (entry.kind == Kind.Mandate) {
                emit MandateAnchored(entry.hash, entry.state, block.timestamp, msg.sender);
            } else {
                emit ReceiptRevoked(entry.hash, block.timestamp, msg.sender);
            }
        }
    }
}
