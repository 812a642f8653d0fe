import { randomBytes } from 'node:crypto'
import { encodeFunctionData, type Hex, pad, parseAbi, type TypedDataDefinition, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { serializeErc6492Signature } from 'viem/utils'
import { compile } from '../../contracts/compile.ts'
import type { EvmNode, Wallet } from './evm-node.ts'

/** In the shape x402 clients accept as a signer. */
export type ContractWallet = {
  readonly address: Hex
  signTypedData(data: object): Promise<Hex>
  signMessage(message: string): Promise<Hex>
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
  return {
    address,
    signTypedData: (data) => signer.signTypedData(data as TypedDataDefinition),
    signMessage: (message) => signer.signMessage({ message }),
  }
}

/** A contract whose code is `code`; `owner` makes its signatures. */
export async function installCode(
  node: EvmNode,
  { code, address, owner }: { readonly code: Hex; readonly address?: Hex; readonly owner: Wallet },
): Promise<Pick<ContractWallet, 'address' | 'signMessage'>> {
  const at = address ?? (`0x${randomBytes(20).toString('hex')}` as const)
  await node.rpc('anvil_setCode', [at, code])
  const signer = privateKeyToAccount(owner.privateKey)
  return { address: at, signMessage: (message) => signer.signMessage({ message }) }
}

/** A wallet of `owner` that is not deployed yet; its signatures say how to deploy it (EIP-6492). */
export async function undeployedWallet(
  node: EvmNode,
  owner: Wallet,
): Promise<Pick<ContractWallet, 'address' | 'signMessage'>> {
  const factory: Hex = `0x${randomBytes(20).toString('hex')}`
  const { deployedBytecode } = compile('Factory', factorySource).evm
  await node.rpc('anvil_setCode', [factory, `0x${deployedBytecode.object}`])
  const calls = parseAbi([
    'function addressOf(address owner) view returns (address)',
    'function deploy(address owner)',
  ])
  const args = [owner.address as Hex] as const
  const data = encodeFunctionData({ abi: calls, functionName: 'addressOf', args })
  const answer = await node.rpc<Hex>('eth_call', [{ to: factory, data }, 'latest'])
  const deployment = encodeFunctionData({ abi: calls, functionName: 'deploy', args })
  const signer = privateKeyToAccount(owner.privateKey)
  return {
    address: `0x${answer.slice(-40)}`,
    signMessage: async (message) =>
      serializeErc6492Signature({
        address: factory,
        data: deployment,
        signature: await signer.signMessage({ message }),
      }),
  }
}

/** Has a wallet that holds no key send USDC, which it is given before. */
export async function transferFrom(
  node: EvmNode,
  address: Hex,
  { to, usdcBase }: { readonly to: string; readonly usdcBase: bigint },
): Promise<Hex> {
  // Not between the transfers: anvil could then lose what the first one changed.
  await node.batch([
    { method: 'anvil_impersonateAccount', params: [address] },
    { method: 'anvil_setBalance', params: [address, toHex(10n ** 18n)] },
  ])
  await node.transfer({ from: node.wallet(1).address, to: address, usdcBase })
  const txHash = await node.transfer({ from: address, to, usdcBase })
  // A sender that has sent cannot be deployed any more.
  await node.rpc('anvil_setNonce', [address, '0x0'])
  return txHash
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

const factorySource = `
  // SPDX-License-Identifier: MIT
  pragma solidity ^0.8.0;

  contract Wallet {
    address immutable owner;
    constructor(address holder) { owner = holder; }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
      bytes32 r = bytes32(signature[:32]);
      bytes32 s = bytes32(signature[32:64]);
      bool isOwners = ecrecover(hash, uint8(signature[64]), r, s) == owner;
      return isOwners ? this.isValidSignature.selector : bytes4(0);
    }
  }

  contract Factory {
    function deploy(address holder) external { new Wallet{salt: 0}(holder); }

    function addressOf(address holder) external view returns (address) {
      bytes memory code = abi.encodePacked(type(Wallet).creationCode, abi.encode(holder));
      bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(0), keccak256(code)));
      return address(uint160(uint256(hash)));
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
