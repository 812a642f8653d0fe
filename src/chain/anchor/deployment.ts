import type { Hex } from 'viem'
import { encodeFunctionData, parseAbi, serializeTransaction } from 'viem/utils'
import { OperatorError } from '../../domain/error.ts'
import { toDecimal } from '../../domain/money/money.ts'
import { ChainError } from '../chain.ts'
import { receiptCall } from '../evm/blocks.ts'
import { evmSender } from '../evm/sender.ts'
import type { Funds } from '../facilitator/funds.ts'
import { isRefusal } from '../rpc/fault.ts'
import { createRpc, type Rpc } from '../rpc/rpc.ts'
import type { Access } from './anchor.ts'
import artifact from './artifact.json' with { type: 'json' }
import { readReceipt } from './events.ts'

const creation = { data: artifact.bytecode as Hex }
const usualCreationGas = 350_000n

export async function deploymentFunds(
  options: Access,
): Promise<Funds & { readonly chainId: number }> {
  const rpc = createRpc({ urls: options.rpcUrls, expectedChainId: null })
  const { sender, balanceWei, fees, gasFor } = evmSender(rpc, options.privateKey)
  const [chainId, has, { maxFeePerGas }, dataFee, gas] = await Promise.all([
    rpc.chainId(),
    balanceWei(),
    fees(),
    dataFeeWei(rpc),
    gasFor(creation).catch((error) => {
      // Some nodes do not estimate for a sender that could not pay.
      if (isRefusal(error)) return usualCreationGas
      throw error
    }),
  ])
  return { chainId, address: sender, has, takes: gas * maxFeePerGas + dataFee, scale: 18 }
}

/** What the data costs beside gas on a chain of the OP Stack, plus a quarter; 0 on other chains. */
async function dataFeeWei(rpc: Rpc): Promise<bigint> {
  const chainId = await rpc.chainId()
  const transaction = serializeTransaction({ ...creation, type: 'eip1559', chainId })
  const data = encodeFunctionData({ abi: dataFeeAbi, args: [transaction] })
  const [fee] = await rpc.ask([
    { method: 'eth_call', params: [{ to: dataFeeOracle, data }, 'latest'] },
  ])
  return fee === '0x' ? 0n : (BigInt(String(fee)) * 5n) / 4n
}

const dataFeeAbi = parseAbi(['function getL1Fee(bytes transaction) view returns (uint256)'])
const dataFeeOracle = '0x420000000000000000000000000000000000000f'

/**
 * Deploys the anchor contract and waits two minutes at most. Rejects with `OperatorError` where the
 * sender cannot pay, and with `ChainError`: `unreachable` where it was not mined in time.
 */
export async function deployAnchor(
  options: Access,
): Promise<{ readonly contract: string; readonly txHash: string }> {
  requireFunds(await deploymentFunds(options))
  const rpc = createRpc({ urls: options.rpcUrls, expectedChainId: null })
  const { transactionCount, fees, gasFor, sign, broadcast } = evmSender(rpc, options.privateKey)
  const terms = { nonce: await transactionCount(), gas: await gasFor(creation), ...(await fees()) }
  const { txHash, signedBytes } = await sign(creation, terms)
  await broadcast(signedBytes)
  const giveUpAt = performance.now() + deployWithinMs
  while (performance.now() < giveUpAt) {
    const [answer] = await rpc.ask([receiptCall(txHash)])
    const receipt = readReceipt(answer)
    if (receipt?.status === 'success' && receipt.contractAddress) {
      return { contract: receipt.contractAddress, txHash }
    }
    if (receipt) throw new ChainError('invalid_answer', `the deployment ${txHash} failed on chain`)
    await new Promise((resolve) => setTimeout(resolve, receiptPollMs))
  }
  throw new ChainError('unreachable', `the deployment ${txHash} was not mined in time`)
}

function requireFunds({
  chainId,
  address,
  has,
  takes,
  scale,
}: Awaited<ReturnType<typeof deploymentFunds>>): void {
  if (has >= takes) return
  const coins = (units: bigint) => toDecimal(units, scale)
  throw new OperatorError(
    has === 0n
      ? `${address} has no coin on chain ${chainId}`
      : `${address} has ${coins(has)} of the coin of chain ${chainId}, and deploying takes up to ${coins(takes)}`,
    'send some there',
  )
}

const deployWithinMs = 120_000
const receiptPollMs = 250
