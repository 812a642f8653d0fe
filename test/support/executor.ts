import { randomBytes } from 'node:crypto'
import { encodeFunctionData, encodePacked, type Hex, parseAbi, size } from 'viem'
import { compile } from '../../contracts/compile.ts'
import { type EvmNode, transferCall } from './evm-node.ts'

/** What a wallet is to transfer, and the words that it writes after the arguments. */
export type Named = { readonly to: string; readonly usdcBase: bigint; readonly reference?: string }

export function namedCall({ reference = '0x', ...payment }: Named): Hex {
  return `${transferCall(payment)}${reference.slice(2)}`
}

export type Executor = Awaited<ReturnType<typeof installExecutor>>

/** A wallet that anybody can use in the ways of Safe, ERC-4337, ERC-7579 and multisend. */
export async function installExecutor(node: EvmNode, at?: Hex) {
  const address: Hex = `0x${randomBytes(20).toString('hex')}`
  code ??= `0x${compile('Executor', source).evm.deployedBytecode.object}`
  await node.rpc('anvil_setCode', [address, code])
  // An account with a key that lends itself the wallet's code (EIP-7702).
  if (at) await node.rpc('anvil_setCode', [at, `0xef0100${address.slice(2)}`])
  const wallet = at ?? address
  const { usdc } = node
  const calls = (all: readonly Named[]) =>
    all.map((one) => ({ target: usdc, value: 0n, data: namedCall(one) }))
  return {
    address: wallet,
    execute: (one: Named) =>
      encodeFunctionData({ abi, functionName: 'execute', args: [usdc, 0n, namedCall(one)] }),
    /** A call that fails does not fail the others. */
    executeBatch: (all: readonly Named[]) =>
      encodeFunctionData({ abi, functionName: 'executeBatch', args: [calls(all)] }),
    multiSend(all: readonly Named[]) {
      const packed = all.map(namedCall).map((data) => {
        const types = ['uint8', 'address', 'uint256', 'uint256', 'bytes'] as const
        return encodePacked(types, [0, usdc, 0n, BigInt(size(data)), data]).slice(2)
      })
      const args = [`0x${packed.join('')}`] as const
      return encodeFunctionData({ abi, functionName: 'multiSend', args })
    },
    /** Names the invoice in an argument of its own, apart from recipient and amount. */
    pay: ({ to, usdcBase, reference = '0x' }: Named) =>
      encodeFunctionData({
        abi,
        functionName: 'pay',
        args: [usdc, to as Hex, usdcBase, 1n, reference as Hex],
      }),
  }
}

/** A bundle of ERC-4337, each operation by a sender of its own. */
export function handleOps(ops: readonly { readonly sender: Hex; readonly callData: Hex }[]): Hex {
  const full = ops.map((op) => ({ nonce: 0n, initCode: '0x', signature: '0x', ...op }) as const)
  return encodeFunctionData({ abi, functionName: 'handleOps', args: [full] })
}

let code: Hex | undefined

const abi = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'struct Op { address sender; uint256 nonce; bytes initCode; bytes callData; bytes signature; }',
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch(Call[] calls)',
  'function multiSend(bytes transactions)',
  'function pay(address token, address to, uint256 amount, uint256 deadline, bytes32 named)',
  'function handleOps(Op[] ops)',
])

const source = `
  // SPDX-License-Identifier: MIT
  pragma solidity ^0.8.0;

  contract Executor {
    struct Call { address target; uint256 value; bytes data; }
    struct Op { address sender; uint256 nonce; bytes initCode; bytes callData; bytes signature; }

    event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster,
      uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed);

    function execute(address target, uint256 value, bytes calldata data) external {
      (bool isDone,) = target.call{value: value}(data);
      require(isDone);
    }

    function executeBatch(Call[] calldata calls) external returns (uint256 done) {
      for (uint256 i = 0; i < calls.length; i++) {
        (bool isDone,) = calls[i].target.call{value: calls[i].value}(calls[i].data);
        if (isDone) done++;
      }
    }

    function multiSend(bytes memory transactions) external {
      assembly {
        let end := add(add(transactions, 0x20), mload(transactions))
        for { let at := add(transactions, 0x20) } lt(at, end) {} {
          let to := shr(96, mload(add(at, 1)))
          let length := mload(add(at, 53))
          if iszero(call(gas(), to, mload(add(at, 21)), add(at, 85), length, 0, 0)) { revert(0, 0) }
          at := add(add(at, 85), length)
        }
      }
    }

    function pay(address token, address to, uint256 amount, uint256, bytes32) external {
      (bool isDone,) = token.call(abi.encodeWithSelector(0xa9059cbb, to, amount));
      require(isDone);
    }

    function handleOps(Op[] calldata ops) external {
      for (uint256 i = 0; i < ops.length; i++) {
        (bool isDone,) = ops[i].sender.call(ops[i].callData);
        emit UserOperationEvent(bytes32(i), ops[i].sender, address(0), ops[i].nonce, isDone, 0, 0);
      }
    }
  }
`
