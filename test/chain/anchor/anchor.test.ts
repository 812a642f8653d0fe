import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { anchorClient } from '../../../src/chain/anchor/anchor.ts'
import { deployAnchor, deploymentFunds } from '../../../src/chain/anchor/deployment.ts'
import { type AnchorEntry, anchorEvents } from '../../../src/chain/anchor/events.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { faultOf, newReference } from '../subject.ts'

let node: EvmNode
let contract: string
let privateKey: string

beforeAll(async () => {
  node = await startEvmNode({ chainId: 84532 })
  privateKey = node.wallet(1).privateKey
  contract = (await deployAnchor({ rpcUrls: [node.url], privateKey })).contract
})
afterAll(() => node?.stop())

test('what deploying takes includes the fee for its data, on a chain that asks for one', async () => {
  const takes = async () => (await deploymentFunds({ rpcUrls: [node.url], privateKey })).takes
  const gasAlone = await takes()
  // Answers one coin, as the OP Stack's contract for that fee would.
  const oneCoin = '0x670de0b6b3a764000060005260206000f3'
  const oracle = '0x420000000000000000000000000000000000000f'
  await node.rpc('anvil_setCode', [oracle, oneCoin])
  expect(gasAlone).toBeLessThan(10n ** 18n)
  expect(await takes()).toBe(gasAlone + (10n ** 18n * 5n) / 4n)
  await node.rpc('anvil_setCode', [oracle, '0x'])
})

describe('a transaction', () => {
  test('emits each entry once and in order, by the sender, at the time of the block', async () => {
    const client = clientOf()
    const [batch, revocation] = [batchEntry('1'), revocationEntry()]
    const entries = [batch, mandateEntry('signed_by_proposer'), revocation, mandateEntry('ü')]
    const { txHash, receipt, events } = await anchor(entries)
    expect(receipt.status).toBe('success')
    expect(events.map(({ kind, hash, label }) => ({ kind, hash, label }))).toEqual(entries)
    expect(events.map(({ logIndex }) => logIndex)).toEqual([0, 1, 2, 3])
    const block = await node.rpc<{ timestamp: string; number: string }>('eth_getBlockByHash', [
      receipt.blockHash,
      false,
    ])
    expect(Number(block.number)).toBe(receipt.blockNumber)
    for (const { contract: emitter, sender, timestampMs } of events) {
      expect(emitter).toBe(contract.toLowerCase())
      expect(sender).toBe(client.sender)
      expect(timestampMs).toBe(Number(block.timestamp) * 1000)
    }
    expect(await client.receipts([newReference(), txHash])).toEqual([receipt])
  })

  test('of a hundred entries fits in one transaction', async () => {
    const entries = Array.from({ length: 100 }, () => batchEntry())
    const { events } = await anchor(entries)
    expect(events).toHaveLength(100)
  })

  test('signed twice on the same terms is the same bytes', async () => {
    const client = clientOf()
    const entries = [batchEntry()]
    const terms = {
      nonce: 900,
      gas: 100_000n,
      maxFeePerGas: 5_000_000_000n,
      maxPriorityFeePerGas: 1n,
    }
    const first = await client.signEntries(entries, terms)
    expect(await client.signEntries(entries, terms)).toEqual(first)
    expect((await client.signEntries(entries, { ...terms, nonce: 901 })).txHash).not.toBe(
      first.txHash,
    )
  })
})

describe('a broadcast tells apart', () => {
  test('bytes the node knows, a nonce that is used and fees that are too low to replace', async () => {
    const client = clientOf()
    await node.rpc('evm_setAutomine', [false])
    const nonce = await client.transactionCount()
    const terms = { nonce, gas: 100_000n, ...(await client.fees()) }
    const { txHash, signedBytes } = await client.signEntries([batchEntry()], terms)
    const rival = await client.signEntries([batchEntry()], terms)
    expect(await client.broadcast(signedBytes)).toBe('accepted')
    expect(await client.broadcast(signedBytes)).toBe('known')
    expect(await client.broadcast(rival.signedBytes)).toBe('underpriced')
    expect(await client.transactionCount()).toBe(nonce + 1)
    expect(await client.receipts([txHash])).toEqual([])
    await node.rpc('evm_setAutomine', [true])
    await node.mine(1)
    expect(await client.broadcast(rival.signedBytes)).toBe('nonce_used')
    expect((await client.receipts([txHash]))[0]?.status).toBe('success')
  })

  test('what no other word fits is thrown, with what the node said', async () => {
    const client = anchorClient({ rpcUrls: [node.url], privateKey: newReference(), contract })
    const terms = { nonce: 0, gas: 100_000n, ...(await client.fees()) }
    const { signedBytes } = await client.signEntries([batchEntry()], terms)
    await expect(client.broadcast(signedBytes)).rejects.toThrow(/insufficient funds/i)
  })
})

describe('of the chain', () => {
  test('the newest block, the next nonce there and the hash of another block are one question', async () => {
    const { receipt } = await anchor([batchEntry()])
    await node.mine(2)
    const client = clientOf()
    const nonce = await client.transactionCount()
    const number = receipt.blockNumber + 2
    expect(await client.head(client.sender, receipt.blockNumber)).toEqual({
      number,
      nonce,
      watchedHash: receipt.blockHash,
    })
    expect(await client.head(client.sender, null)).toEqual({ number, nonce, watchedHash: null })
    expect(await client.head(client.sender, number + 1)).toEqual({
      number,
      nonce,
      watchedHash: null,
    })
    expect(await client.finalizedNumber()).toBe(number - 2)
  })

  test('a nonce is taken once a block holds it, by none of ours', async () => {
    const client = clientOf()
    const nonce = await client.transactionCount()
    const { txHash, receipt } = await anchor([batchEntry()])
    const { blockNumber } = receipt
    expect(await client.isTaken(client.sender, nonce, blockNumber, [newReference()])).toBe(true)
    expect(await client.isTaken(client.sender, nonce, blockNumber, [newReference(), txHash])).toBe(
      false,
    )
    expect(await client.isTaken(client.sender, nonce, blockNumber - 1, [newReference()])).toBe(
      false,
    )
  })
})

test('what a sender has had the contract emit is told by transaction, and nothing of anybody else', async () => {
  const { receipt: before } = await anchor([batchEntry()])
  const entries = [batchEntry(), batchEntry()]
  const ours = await anchor(entries)
  const stranger = anchorClient({
    rpcUrls: [node.url],
    privateKey: node.wallet(8).privateKey,
    contract,
  })
  const other = await anchor([batchEntry()], stranger)
  const range = { from: before.blockNumber + 1, to: other.receipt.blockNumber }
  const { nonce } = await node.rpc<{ nonce: string }>('eth_getTransactionByHash', [ours.txHash])
  const client = clientOf()
  const found = await client.anchored(range, client.sender)
  expect(found.last.number).toBe(range.to)
  expect(found.transactions).toMatchObject([
    { txHash: ours.txHash, nonce: Number(nonce), events: entries },
  ])
  const beyond = { ...range, to: range.to + 5 }
  expect(await faultOf(client.anchored(beyond, client.sender))).toBe('lagging')
})

describe('on a gasless chain', () => {
  test('a sender without any coin anchors at a price of zero', async () => {
    const skale = await startEvmNode({ chainId: 1187947933 })
    await skale.rpc('anvil_setNextBlockBaseFeePerGas', ['0x0'])
    const access = { rpcUrls: [skale.url], privateKey: newReference() }
    const deployed = await deployAnchor(access)
    await skale.rpc('anvil_setNextBlockBaseFeePerGas', ['0x0'])
    const client = anchorClient({ ...access, contract: deployed.contract })
    const terms = {
      nonce: await client.transactionCount(),
      gas: 100_000n,
      ...(await client.fees()),
    }
    const { txHash, signedBytes } = await client.signEntries([batchEntry()], terms)
    expect(await client.broadcast(signedBytes)).toBe('accepted')
    await skale.mine(1)
    expect((await client.receipts([txHash]))[0]?.logs).toHaveLength(1)
    expect(await client.chainId()).toBe(1187947933)
    await skale.stop()
  })
})

function clientOf() {
  return anchorClient({ rpcUrls: [node.url], privateKey, contract })
}

async function anchor(entries: readonly AnchorEntry[], client = clientOf()) {
  const terms = {
    nonce: await client.transactionCount(),
    gas: await client.gasFor(entries),
    ...(await client.fees()),
  }
  const { txHash, signedBytes } = await client.signEntries(entries, terms)
  await client.broadcast(signedBytes)
  const receipt = await mined(txHash)
  const events = anchorEvents(receipt.logs)
  return { txHash, receipt, events }
}

async function mined(txHash: string) {
  for (;;) {
    const [receipt] = await clientOf().receipts([txHash])
    if (receipt) return receipt
    await Bun.sleep(5)
  }
}

function batchEntry(label = '256'): AnchorEntry {
  return { kind: 'batch', hash: newReference(), label }
}

function mandateEntry(state: string): AnchorEntry {
  return { kind: 'mandate', hash: newReference(), label: state }
}

function revocationEntry(): AnchorEntry {
  return { kind: 'revocation', hash: newReference(), label: '' }
}
