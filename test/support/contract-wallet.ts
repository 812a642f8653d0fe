import { randomBytes } from 'node:crypto'
import { type Hex, pad, type TypedDataDefinition, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compile } from '../../contracts/compile.ts'
import type { EvmNode, Wallet } from './evm-node.ts'

/** In the shape x402 clients accept as a signer. */
export type ContractWallet = {
  readonly address: Hex
  signTypedData(data: object): Promise<Hex>
}

/**
 * A wallet whose signatures `owner` makes (ERC-1271); verifying one costs `gasBurnt` gas or more.
 */
export async function installContractWallet(
  node: EvmNode,
  { owner, gasBurnt = 0 }: { readonly owner: Wallet; readonly gasBurnt?: number },
): Promise<ContractWallet> {
  const address: Hex = `0x${randomBytes(20).toString('hex')}`
  walletCode ??= `0x${compile('Wallet', walletSource).evm.deployedBytecode.object}`
  await node.batch([
    { method: 'anvil_setCode', params: [address, walletCode] },
    { method: 'anvil_setStorageAt', params: [address, pad('0x0'), pad(owner.address)] },
    { method: 'anvil_setStorageAt', params: [address, pad('0x1'), toHex(gasBurnt, { size: 32 })] },
  ])
  const signer = privateKeyToAccount(owner.privateKey)
  return { address, signTypedData: (data) => signer.signTypedData(data as TypedDataDefinition) }
}

/** The part of Multicall3 that the official facilitator calls, at its usual address. */
export async function installMulticall(node: EvmNode): Promise<void> {
  const code = `0x${compile('Multicall', multicallSource).evm.deployedBytecode.object}`
  await node.rpc('anvil_setCode', ['0xcA11bde05977b3631167028862bE2a173976CA11', code])
}

let walletCode: Hex | undefined

const walletSource = `
  // SPDX-License-Identifier: MIT
  pragma solidity ^0.8.0;

  contract Wallet {
    address owner;
    uint256 gasBurnt;

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
      uint256 start = gasleft();
      while (start - gasleft() < gasBurnt) {}
      if (signature.length != 65) return 0;
      bytes32 r = bytes32(signature[:32]);
      bytes32 s = bytes32(signature[32:64]);
      bool isOwners = ecrecover(hash, uint8(signature[64]), r, s) == owner;
      return isOwners ? this.isValidSignature.selector : bytes4(0);
    }
  }
`

const multicallSource = `
  // SPDX-License-Identifier: MIT
  pragma solidity ^0.8.0;

  contract Multicall {
    struct Call { address target; bytes callData; }
    struct Result { bool success; bytes returnData; }

    function tryAggregate(bool, Call[] calldata calls) external payable returns (Result[] memory results) {
      results = new Result[](calls.length);
      for (uint256 i = 0; i < calls.length; i++) {
        (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
      }
    }
  }
`
