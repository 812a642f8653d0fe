import { erc6492SignatureValidatorAbi, erc6492SignatureValidatorByteCode, type Hex } from 'viem'
import { encodeDeployData, hashMessage, isHex } from 'viem/utils'
import type { SignedStatement } from '../../domain/settlement/payer-statement.ts'
import { ChainError } from '../chain.ts'
import { isRefusal } from '../rpc/fault.ts'
import { createRpc } from '../rpc/rpc.ts'
import { blockCall } from './blocks.ts'
import { toQuantity } from './logs.ts'

/** Whether `payer`, as of `block` or later, confirms its signature. Rejects with `ChainError`. */
export type IsSignedByWallet = (
  signed: Omit<SignedStatement, 'network'>,
  block: number | null,
) => Promise<boolean>

/** Twice what deploying a wallet and checking a passkey's signature takes. */
const mostGas = 10_000_000

/** The code of an account with a key that lends itself a contract's (EIP-7702). */
const delegation = '0xef0100'

/**
 * Asks contract wallets for their signatures (EIP-1271), also those that are not deployed yet
 * (EIP-6492): the universal validator of that EIP runs in a call, and nothing is sent. Not accounts
 * with a key: it alone counts, as a contract that they use for a while may say yes to anybody.
 */
export function walletSignatures(options: {
  readonly rpcUrls: readonly string[]
  readonly chainId: number
}): IsSignedByWallet {
  const rpc = createRpc({ urls: options.rpcUrls, expectedChainId: options.chainId })

  return async ({ statement, signature, payer }, block) => {
    if (!isHex(signature)) return false
    const data = encodeDeployData({
      abi: erc6492SignatureValidatorAbi,
      bytecode: erc6492SignatureValidatorByteCode,
      args: [payer as Hex, hashMessage(statement), signature],
    })
    const gas = toQuantity(mostGas)
    const calls = [
      { method: 'eth_call', params: [{ data, gas }, 'latest'] },
      { method: 'eth_getCode', params: [payer, 'latest'] },
      ...(block === null ? [] : [blockCall(toQuantity(block))]),
    ]
    try {
      return await rpc.read(calls, ([answer, code, known]) => {
        if (known === null) throw new ChainError('lagging', `the node does not have block ${block}`)
        const isDelegating = typeof code !== 'string' || code.startsWith(delegation)
        return !isDelegating && typeof answer === 'string' && /^0x0*1$/.test(answer)
      })
    } catch (error) {
      // The wallet, or what should deploy it, failed.
      if (isRefusal(error)) return false
      throw error
    }
  }
}
