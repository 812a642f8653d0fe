import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { readJson, Unreadable } from '../../src/operator/read-json.ts'
import { anchoringAt } from '../support/anchoring.ts'
import { quittance } from '../support/cli.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { batchOf, receiptId, receiptOf } from '../support/receipts.ts'
import { startReceiver } from '../support/receiver.ts'
import { startRpcRelay } from '../support/rpc-relay.ts'

const contract: Hex = `0x${'c0'.repeat(20)}`
const batch = batchOf(receiptOf(), [receiptOf({}, 1)])

let node: EvmNode
let sender: string
let folder: string
let file: string

beforeAll(async () => {
  node = await startEvmNode({ chainId: 84532 })
  sender = node.wallet(1).address
  const { anchor } = await anchoringAt(node, contract)
  folder = mkdtempSync(join(tmpdir(), 'quittance-receipt-'))
  file = join(folder, 'bundle.json')
  const bundle = batch.bundleAt(await anchor(sender, batch.root, batch.size))
  await Bun.write(file, JSON.stringify(bundle))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await node?.stop()
})

function verify(source: string, ...options: readonly string[]) {
  return quittance({}, 'verify-receipt', source, '--rpc', node.url, '--json', ...options)
}

function byUs(): readonly string[] {
  return ['--contract', contract, '--sender', node.wallet(3).address, sender]
}

describe('verify-receipt ends with', () => {
  test('0 and the verdict, by the contract and senders of the command line', async () => {
    const { code, json } = await verify(file, ...byUs())
    expect([code, json]).toMatchObject([0, { ok: true, receiptId }])
  })

  test('0 and the verdict, by what the issuer publishes', async () => {
    const anchor = { chainId: 84532, contract, senders: [sender] }
    const issuer = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1' },
      routes: { '/.well-known/quittance': () => Response.json({ anchor }) },
    })
    expect((await verify(file, '--issuer', issuer.url.href)).code).toBe(0)
    await issuer.stop(true)
  })

  test('1 and the problem of a receipt of another sender or contract', async () => {
    for (const [by, problem] of [
      [['--contract', contract, '--sender', node.wallet(2).address], 'wrong_sender'],
      [['--contract', `0x${'c1'.repeat(20)}`, '--sender', sender], 'wrong_contract'],
    ] as const) {
      const { code, json } = await verify(file, ...by)
      expect([code, json]).toMatchObject([1, { ok: false, problem }])
    }
  })

  test.each([
    ['without an issuer', () => []],
    ['with half of one', () => ['--contract', contract]],
    ['with two', () => [...byUs(), '--issuer', 'https://a.test']],
    ['with an invalid address', () => ['--contract', contract, '--sender', 'me']],
  ])('2 %s', async (_, options) => {
    expect((await verify(file, ...options())).code).toBe(2)
  })

  test('3 and the answer if the URL does not answer with a bundle', async () => {
    const refusal = { error: { code: 'RATE_LIMITED', message: 'Too many requests', status: 429 } }
    const receiver = startReceiver(() =>
      Response.json(refusal, { status: 429, headers: { 'retry-after': '31' } }),
    )
    const { code, json, stderr } = await verify(receiver.url, ...byUs())
    const message = `Nothing can be read from ${receiver.url}: HTTP 429 RATE_LIMITED, try again in 31 s`
    const answered = { status: 429, answerCode: 'RATE_LIMITED', retryAfterSeconds: 31 }
    expect([code, stderr]).toEqual([3, `${message}\n`])
    expect(json).toEqual({ error: { code: 'unreadable', message, ...answered } })
    await receiver.stop()
  })

  test('3 if the issuer names nobody, and if the node does not answer', async () => {
    const nobody = startReceiver(() => Response.json({ anchor: null }))
    const unnamed = await verify(file, '--issuer', nobody.url)
    expect([unnamed.code, unnamed.stderr]).toEqual([3, expect.stringContaining('names no issuer')])
    await nobody.stop()
    const provider = startRpcRelay(node.url)
    provider.misbehave(() => new Response('', { status: 502 }))
    const words = ['verify-receipt', file, '--rpc', provider.url, '--json', ...byUs()]
    const { code, json } = await quittance({}, ...words)
    expect([code, json.error.code]).toEqual([3, 'chain_unreadable'])
    await provider.stop()
  })
})

describe('receipt redact', () => {
  test('prints a bundle that shows the named claims alone, and is valid', async () => {
    const { code, text, json } = await quittance(
      {},
      'receipt',
      'redact',
      file,
      '--show',
      'settled,total',
    )
    expect(code).toBe(0)
    expect(json.claims.filter((claim: object) => 'name' in claim)).toHaveLength(2)
    expect(text).not.toContain(receiptId)
    const redacted = join(folder, 'redacted.json')
    await Bun.write(redacted, text)
    const { json: verdict } = await verify(redacted, ...byUs())
    expect(verdict).toMatchObject({ ok: true, claims: { settled: true, total: '14.88' } })
  })

  test('refuses names that the bundle does not show, and what is no bundle', async () => {
    const { code, stderr } = await quittance({}, 'receipt', 'redact', file, '--show', 'Total')
    expect([code, stderr]).toEqual([1, expect.stringContaining("does not show 'Total'")])
    await Bun.write(join(folder, 'nothing.json'), '{}')
    const words = ['receipt', 'redact', join(folder, 'nothing.json'), '--show', 'total']
    expect((await quittance({}, ...words)).stderr).toStartWith('this is not a receipt bundle')
  })
})

test.each([
  ['nothing', ''],
  ['only the start of a bundle', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"receiptId":'],
])('nothing is read from a URL that answers %s in time', async (_, answer) => {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.write(answer) },
  })
  const reading = readJson(`http://127.0.0.1:${server.port}/bundle`, 200)
  await expect(reading).rejects.toBeInstanceOf(Unreadable)
  server.stop(true)
})
