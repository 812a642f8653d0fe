import type { Hex } from 'viem'
import type { EvmNode } from '../../support/evm-node.ts'

const authorizationBytes = 356

/**
 * Installs a contract that forwards any number of calls of one length (EIP-3009 calls by default)
 * in one transaction, as wallets and facilitators do.
 */
export async function installRelayer(node: EvmNode, callBytes = authorizationBytes): Promise<Hex> {
  const address = '0x00000000000000000000000000000000000e1a7e'
  const size = `61${callBytes.toString(16).padStart(4, '0')}`
  const code = [
    '365f5f37', // memory = calldata
    '5f', // i = 0
    '5b', // next: (at 5)
    '3681101560', // if not i < calldatasize
    '3657', // …go to done
    `5f5f${size}835f73${node.usdc.slice(2)}5af1`, // call the token with memory[i, i + size]
    '15603857', // if that failed go to failed
    `${size}01`, // i += size
    '600556', // go to next
    '5b00', // done: (at 0x36) stop
    '5b5f5ffd', // failed: (at 0x38) revert
  ]
  await node.rpc('anvil_setCode', [address, `0x${code.join('')}`])
  return address
}
