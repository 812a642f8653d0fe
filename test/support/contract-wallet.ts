import { randomBytes } from 'node:crypto'
import { type Hex, pad, type TypedDataDefinition, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compile } from '../../contracts/compile.ts'
import type { EvmNode, Wallet } from './evm-node.ts'

/** A wallet that is a contract, as x402 clients take one to sign with. */
export type ContractWallet = {
  readonly address: Hex
  signTypedData(data: object): Promise<Hex>
}

/** Puts a wallet on chain for which `owner` signs (ERC-1271); looking at a signature takes it `gasBurnt` and a little more. */
export async function installContractWallet(
  node: EvmNode,
  { owner, gasBurnt = 0 }: { readonly owner: Wallet; readonly gasBurnt?: number },
): Promise<ContractWallet> {
  const address: Hex = `0x${randomBytes(20).toString('hex')}`
  compiled ??= `0x${compile('Wallet', source).evm.deployedBytecode.object}`
  await node.batch([
    { method: 'anvil_setCode', params: [address, compiled] },
    { method: 'anvil_setStorageAt', params: [address, pad('0x0'), pad(owner.address)] },
    { method: 'anvil_setStorageAt', params: [address, pad('0x1'), toHex(gasBurnt, { size: 32 })] },
  ])
  const signer = privateKeyToAccount(owner.privateKey)
  return { address, signTypedData: (data) => signer.signTypedData(data as TypedDataDefinition) }
}

let compiled: Hex | undefined

const source = `
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
