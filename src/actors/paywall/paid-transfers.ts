import {
  addressKey,
  networks as allNetworks,
  isTxHash,
  type Network,
} from '../../domain/network.ts'
import { payerStatement, type SignedStatement } from '../../domain/settlement/payer-statement.ts'
import { notAccepted, type PaymentPayload } from '../../domain/x402/payload.ts'
import type { Resource } from '../../domain/x402/payment-required.ts'
import { authorizationKey } from '../../domain/x402/signed-payment.ts'
import { type Sent, transferKey } from '../../domain/x402/traces.ts'
import { serverTime } from '../../storage/postgres/database-server.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { unexplainedFrom } from '../../storage/settlement/transfer-lists.ts'
import { claimSettled, findPayment } from '../../storage/x402/payments.ts'
import { type Delivery, paidBy } from './delivery.ts'
import {
  findNetwork,
  fromChain,
  type Networks,
  optionsOf,
  type PaidOrder,
  type PaymentOutcome,
  refused,
  termsOf,
} from './order.ts'

export type TransferParts = {
  readonly sql: Sql
  readonly networks: Networks
  readonly delivery: Delivery
  isSignedByPayer(signed: SignedStatement): Promise<boolean>
}

type Transfer = Extract<PaymentPayload, { kind: 'transfer' }>

const maxTransferAgeMs = 3_600_000

/** A transfer is on chain already: it is verified, claimed, and delivered for. */
export async function admitTransfer(
  parts: TransferParts,
  order: PaidOrder,
  sent: Transfer,
): Promise<PaymentOutcome> {
  const { sql, networks, delivery } = parts
  const refuse = (problem: string) => refused(networks, order, problem)
  const network = await signedNetwork(order.resource, sent, parts.isSignedByPayer)
  if (!network) return refuse(unsigned(order.resource, sent.txHash, networks))
  if (!isTxHash(network, sent.txHash)) return refuse('No such transaction')
  const [txHash, payer] = [addressKey(sent.txHash), addressKey(sent.payer)]
  const name = {
    key: transferKey(network, { txHash, from: payer }),
    network,
    payer,
    txHash,
    identifier: null,
  }
  const earlier = await findPayment(sql, name)
  if (earlier) return delivery.answerAgain(order, earlier)
  const { reader, option } = findNetwork(networks, network) ?? {}
  const terms = option?.()
  if (!terms) return refuse(notAccepted)
  if (!reader) return refuse(`Transfers on ${network} cannot be read`)
  const transfers = await fromChain(reader.transfersTo(terms, txHash))
  // Our nodes may be behind: the payer must not be asked to pay again.
  if (transfers === null) return { kind: 'pending', network, txHash }
  const paid = transfers.find(
    ({ from, usdcBase }) => from === payer && usdcBase >= order.resource.priceUsdcBase,
  )
  if (!paid) return refuse('No such transfer of the price to this recipient')
  const isOld = paid.blockTimeMs < (await serverTime(sql)).getTime() - maxTransferAgeMs
  // After a restore, what it has bought may be unknown here, and the transfer is held.
  if (isOld && !(await isHeld(sql, { chain: network, txHash, from: payer })))
    return refuse('The transfer is older than an hour')
  const [signed] = paid.settles.map((one) => authorizationKey(network, one))
  // It is being settled for whoever signed it, and on Solana that may be a delegate.
  if (signed && (await findPayment(sql, { ...name, key: signed, txHash: null })))
    return { kind: 'conflict' }
  const claim = { ...name, ...termsOf(order, terms), validBefore: null }
  const by = { txHash, position: paid.position }
  const createdAt = await claimSettled(sql, claim, by)
  return createdAt
    ? delivery.deliver(order, paidBy({ ...claim, createdAt }, by))
    : delivery.answerAgain(order, await findPayment(sql, name))
}

async function isHeld(sql: Sql, sent: Sent & { readonly chain: Network }): Promise<boolean> {
  const held = await unexplainedFrom(sql, sent)
  return held.some(({ txHash }) => txHash === sent.txHash)
}

/** The network for which the payer signed that this transfer pays for this resource. */
async function signedNetwork(
  { url }: Resource,
  { txHash, signature, payer }: Transfer,
  isSignedByPayer: TransferParts['isSignedByPayer'],
): Promise<Network | undefined> {
  for (const network of allNetworks) {
    const statement = payerStatement({ subject: { resource: url }, chain: network, txHash })
    if (await isSignedByPayer({ network, statement, signature, payer })) return network
  }
  return undefined
}

/** Why a transfer that its payer has not signed for is refused, with the statement to sign. */
function unsigned({ url }: Resource, txHash: string, networks: Networks): string {
  const problem = 'The statement is not signed by this payer'
  const option = optionsOf(networks).find(({ network }) => isTxHash(network, txHash))
  if (!option) return problem
  const chain = option.network
  const statement = payerStatement({ subject: { resource: url }, chain, txHash })
  return `${problem}. For a transfer on ${chain} it is ${JSON.stringify(statement)}`
}
