import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { toHex } from '../../src/domain/hash.ts'
import type { Bundle } from '../../src/domain/receipts/bundle.ts'
import { redact } from '../../src/verify/redact.ts'
import { type Issuer, verifyReceipt } from '../../src/verify/verify-receipt.ts'
import { anchoringAt } from '../support/anchoring.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { batchOf, receiptId, receiptOf, type TestReceipt } from '../support/receipts.ts'
import { findingNothing, refusingRanges } from '../support/rpc-faults.ts'
import { startRpcRelay } from '../support/rpc-relay.ts'

const contract: Hex = `0x${'c0'.repeat(20)}`
const elsewhere: Hex = `0x${'c1'.repeat(20)}`
const receipt = receiptOf()
const others = [1, 2].map((n) => receiptOf({ total: `${n}` }, n))
const batch = batchOf(receipt, others, 1)

let node: EvmNode
let here: Awaited<ReturnType<typeof anchoringAt>>
let there: typeof here
let us: string
let thief: string
let issuer: Issuer
let bundle: Bundle

beforeAll(async () => {
  node = await startEvmNode({ chainId: 84532 })
  here = await anchoringAt(node, contract)
  there = await anchoringAt(node, elsewhere)
  ;[us, thief] = [node.wallet(1).address.toLowerCase(), node.wallet(2).address.toLowerCase()]
  issuer = { chainId: 84532, contract, senders: [us] }
  bundle = batch.bundleAt(await here.anchor(us, batch.root, batch.size))
})
afterAll(() => node?.stop())

/** The bundle with another place of its event. */
function placed(place: object): object {
  return { ...bundle, anchor: { ...bundle.anchor, ...place } }
}

async function problemOf(claimed: unknown, by = issuer): Promise<string> {
  const verdict = await verifyReceipt(claimed, node.url, by)
  return verdict.ok ? 'none' : verdict.problem
}

/** A batch of its own for a receipt, and its bundle. */
async function anchored(own: TestReceipt) {
  const { root, size, bundleAt } = batchOf(own, [])
  return bundleAt(await here.anchor(us, root, size))
}

describe('a receipt is valid', () => {
  test('as the service issues it, and the verdict says what it states and who anchored it when', async () => {
    const verdict = await verifyReceipt(bundle, [node.url], issuer)
    expect(verdict).toMatchObject({
      ...{ ok: true, receiptId, hash: toHex(receipt.hash), anchoredBy: us },
      claims: Object.fromEntries(receipt.claims),
    })
    expect(verdict.message).toStartWith(
      `${receiptId} was anchored by ${us} in block ${bundle.anchor?.blockNumber} of chain 84532 at 20`,
    )
  })

  test('with claims hidden: the verdict knows the others, and no id', async () => {
    const verdict = await verifyReceipt(redact(bundle, ['settled', 'total']), node.url, issuer)
    const claims = { settled: true, total: '14.88' }
    expect(verdict).toMatchObject({ ok: true, receiptId: null })
    expect(verdict.ok && verdict.claims).toEqual(claims)
    expect(verdict.message).toStartWith(toHex(receipt.hash))
  })

  test('of the issuer’s contract in upper or lower case, and of any of its senders', async () => {
    const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`
    const both = { contract: upper(contract), senders: [thief, upper(us)] }
    expect(await problemOf(bundle, both)).toBe('none')
  })

  test('though another receipt of its batch, or somebody else, was revoked by its hash', async () => {
    await here.revoke(us, toHex(others[0]?.hash ?? receipt.hash))
    await here.revoke(thief, toHex(receipt.hash))
    await there.revoke(us, toHex(receipt.hash))
    expect(await problemOf(bundle)).toBe('none')
  })

  test('by the next node where the first has forgotten the transaction', async () => {
    const provider = startRpcRelay(node.url)
    provider.misbehave(findingNothing(['eth_getTransactionReceipt']))
    expect((await verifyReceipt(bundle, [provider.url, node.url], issuer)).ok).toBe(true)
    expect(await verifyReceipt(bundle, provider.url, issuer)).toMatchObject({
      problem: 'transaction_not_found',
    })
    await provider.stop()
  })
})

describe('a receipt is not valid, and the verdict names the problem', () => {
  test('wrong_hash: a value was changed', async () => {
    const text = JSON.stringify(bundle).replace('"value":"14.88"', '"value":"94.88"')
    expect(await problemOf(JSON.parse(text))).toBe('wrong_hash')
  })

  test('wrong_path: a receipt of the same form that is not in the batch', async () => {
    const claims = receiptOf({ total: '94.88' })
    const forged = batchOf(claims, others, 1).bundleAt(null)
    const { hash } = forged
    expect(await problemOf({ ...bundle, claims: forged.claims, hash })).toBe('wrong_path')
  })

  test('not_anchored: its batch is not on the chain yet', async () => {
    expect(await problemOf(batch.bundleAt(null))).toBe('not_anchored')
  })

  test('event_not_found: a batch of another root', async () => {
    const forged = batchOf(receiptOf({ total: '94.88' }), others, 1)
    const { anchor } = bundle
    if (anchor) expect(await problemOf(forged.bundleAt(anchor))).toBe('event_not_found')
  })

  test('wrong_size: the batch is larger or smaller on chain', async () => {
    const small = batchOf(receipt, others.slice(1), 0)
    for (const size of [1, 3]) {
      const place = await here.anchor(us, small.root, size)
      expect(await problemOf(small.bundleAt(place))).toBe('wrong_size')
    }
  })

  test.each([
    ['stale_place', 'another block', () => ({ blockNumber: 1 })],
    ['stale_place', 'another place in the block', () => ({ logIndex: 7 })],
    ['transaction_not_found', 'no such transaction', () => ({ txHash: `0x${'1'.repeat(64)}` })],
    ['event_not_found', 'a contract that did not emit it', () => ({ contract: elsewhere })],
    ['malformed_bundle', 'no hash', () => ({ txHash: '' })],
    ['malformed_bundle', 'no number', () => ({ blockNumber: '5' })],
  ])('%s: the bundle names %s', async (problem, _, place) => {
    expect(await problemOf(placed(place()))).toBe(problem)
  })

  test.each([null, 7, 'x', [], {}])('malformed_bundle: %j', async (input) => {
    expect(await problemOf(input)).toBe('malformed_bundle')
  })

  test('wrong_contract, wrong_sender, wrong_chain: somebody else has anchored it', async () => {
    const foreign = batch.bundleAt(await there.anchor(us, batch.root, batch.size))
    expect(await problemOf(foreign)).toBe('wrong_contract')
    expect(await problemOf(foreign, { ...issuer, contract: elsewhere })).toBe('none')
    const stolen = batch.bundleAt(await here.anchor(thief, batch.root, batch.size))
    expect(await problemOf(stolen)).toBe('wrong_sender')
    expect(await problemOf(bundle, { ...issuer, chainId: 8453 })).toBe('wrong_chain')
  })

  test('forged_event: the contract states a false sender or time', async () => {
    for (const lies of [{ sender: us }, { sender: us, agoSeconds: 60 }]) {
      const place = await here.anchor(thief, batch.root, batch.size, lies)
      expect(await problemOf(batch.bundleAt(place))).toBe('forged_event')
    }
    const late = await here.anchor(us, batch.root, batch.size, { agoSeconds: 86_400 })
    expect(await problemOf(batch.bundleAt(late))).toBe('forged_event')
  })

  test('event_not_found: another event with the same root', async () => {
    const topic: Hex = `0x${'ee'.repeat(32)}`
    const place = await here.anchor(us, batch.root, batch.size, { topic })
    expect(await problemOf(batch.bundleAt(place))).toBe('event_not_found')
  })

  test('failed_transaction: it reverted', async () => {
    await node.rpc('anvil_setCode', [`0x${'fa'.repeat(20)}`, '0x60006000fd'])
    const txHash = await node.send({ from: us, to: `0x${'fa'.repeat(20)}`, data: '0x' })
    expect(await problemOf(placed({ txHash }))).toBe('failed_transaction')
  })

  test('revoked: its issuer has revoked it since, however few blocks a node searches at once', async () => {
    const own = receiptOf({}, 9)
    const found = await anchored(own)
    expect(await problemOf(found)).toBe('none')
    await node.mine(700)
    await here.revoke(us, toHex(own.hash))
    await node.mine(700)
    expect(await problemOf(found)).toBe('revoked')
    expect(await problemOf(redact(found, []))).toBe('revoked')
    const provider = startRpcRelay(node.url)
    provider.misbehave(refusingRanges(200, -32005, 'query exceeds max block range 200'))
    expect(await verifyReceipt(found, provider.url, issuer)).toMatchObject({ problem: 'revoked' })
    expect((await verifyReceipt(bundle, provider.url, issuer)).ok).toBe(true)
    await provider.stop()
  })
})

describe('there is no verdict', () => {
  test('without the URL of a node', async () => {
    const call = verifyReceipt as (...args: unknown[]) => Promise<unknown>
    for (const urls of [undefined, null, '', [], [''], [node.url, ''], [undefined], { rpc: '' }])
      expect(() => call(bundle, urls, issuer)).toThrow('needs the URL of a node')
  })

  test('without an issuer: anybody can deploy such a contract', async () => {
    const call = verifyReceipt as (...args: unknown[]) => Promise<unknown>
    for (const by of [undefined, null, {}, { contract }, { contract, senders: [] }])
      await expect(call(bundle, node.url, by)).rejects.toThrow('the issuer needs')
  })

  test('from a node that does not answer, or not with sense', async () => {
    const provider = startRpcRelay(node.url)
    const verdict = () => verifyReceipt(bundle, provider.url, issuer)
    provider.misbehave(() => new Response('', { status: 502 }))
    await expect(verdict()).rejects.toThrow('HTTP 502')
    provider.misbehave(() => Response.json({ error: { message: 'No such page' } }, { status: 404 }))
    await expect(verdict()).rejects.toThrow(/^the node answered HTTP 404: No such page$/)
    provider.misbehave(() => new Response('<h1>Hello</h1>'))
    await expect(verdict()).rejects.toThrow('nothing of sense')
    await provider.stop()
    await expect(verdict()).rejects.toThrow('does not answer')
  })

  test('from a node that lacks the block, or refuses to search any', async () => {
    const provider = startRpcRelay(node.url)
    const verdict = () => verifyReceipt(bundle, provider.url, issuer)
    provider.misbehave(findingNothing(['eth_getBlockByNumber']))
    await expect(verdict()).rejects.toThrow('try again')
    provider.misbehave(findingNothing(['eth_blockNumber'], '0x1'))
    await expect(verdict()).rejects.toThrow('has not seen block')
    provider.misbehave(refusingRanges(10, -32600, 'ranges over 10 blocks are for paying customers'))
    await expect(verdict()).rejects.toThrow('paying customers')
    await provider.stop()
  })

  test('from a node of another chain', async () => {
    const other = placed({ chainId: 1 })
    await expect(verifyReceipt(other, node.url, issuer)).rejects.toThrow('of chain 84532')
  })
})

describe('under Node', () => {
  const program = `
    const [module, bundle, rpcUrl, issuer] = process.argv.slice(1)
    const { verifyReceipt } = await import(module)
    console.log(JSON.stringify(await verifyReceipt(JSON.parse(bundle), rpcUrl, JSON.parse(issuer))))`

  test.skipIf(!Bun.which('node'))(
    'the verdict is the same, in one file without packages',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'quittance-verify-'))
      const entrypoints = [
        Bun.fileURLToPath(new URL('../../src/verify/verify-receipt.ts', import.meta.url)),
      ]
      // As `build` does it.
      await Bun.build({ entrypoints, target: 'browser', outdir: folder, naming: 'built.mjs' })
      for (const claimed of [bundle, { ...bundle, hash: '0x00' }]) {
        const given = [
          join(folder, 'built.mjs'),
          JSON.stringify(claimed),
          node.url,
          JSON.stringify(issuer),
        ]
        const child = Bun.spawn(['node', '--input-type=module', '-e', program, '--', ...given], {
          ...{ cwd: folder, stdout: 'pipe', stderr: 'inherit' },
        })
        expect(await child.stdout.json()).toEqual(await verifyReceipt(claimed, node.url, issuer))
      }
      rmSync(folder, { recursive: true })
    },
  )
})
