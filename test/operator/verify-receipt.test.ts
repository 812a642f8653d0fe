import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { encodeAbiParameters, type Hex, parseAbiParameters, toEventSelector } from 'viem'
import { anchorClient } from '../../src/chain/anchor/anchor.ts'
import { deployAnchor } from '../../src/chain/anchor/deployment.ts'
import { type AnchorReceipt, anchorEvents } from '../../src/chain/anchor/events.ts'
import { canonical } from '../../src/domain/canonical.ts'
import { type Bundle, hashOf } from '../../src/domain/receipts/receipt.ts'
import { readBundle, UnreadableBundle } from '../../src/operator/read-bundle.ts'
import { verifyReceipt } from '../../src/operator/verify-receipt.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { startReceiver } from '../support/receiver.ts'
import { findingNothing } from '../support/rpc-faults.ts'
import { startRpcRelay } from '../support/rpc-relay.ts'

const receiptId = 'drs_0190a000-0000-7000-8000-000000000001'
const eventTopic = toEventSelector('ReceiptAnchored(bytes32,string,uint256,address)')
const preimage = canonical({ receiptId, version: '1', payout: { gross: '1.25', net: '1.25' } })

type RawReceipt = {
  readonly blockNumber: string
  readonly logs: readonly { readonly logIndex: string }[]
}

let node: EvmNode
let contract: string
let elsewhere: string
let bundle: Bundle

beforeAll(async () => {
  node = await startEvmNode({ chainId: 84532 })
  contract = await deploy()
  elsewhere = await deploy()
  bundle = await anchored(contract)
})
afterAll(() => node?.stop())

async function deploy(): Promise<string> {
  return (await deployAnchor({ rpcUrls: [node.url], privateKey: service().privateKey })).contract
}

function service() {
  return node.wallet(1)
}

/** The bundle of a receipt whose hash the contract at `at` has emitted. */
async function anchored(at: string, by = service(), hash = hashOf(preimage)): Promise<Bundle> {
  const { chainId } = node
  const client = anchorClient({ rpcUrls: [node.url], privateKey: by.privateKey, contract: at })
  const nonce = await client.transactionCount()
  const terms = { nonce, gas: 100_000n, ...(await client.fees()) }
  const signed = await client.signBatch([{ kind: 'receipt', hash, label: receiptId }], terms)
  await client.broadcast(signed.signedBytes)
  const receipts = () => client.receipts([signed.txHash])
  let mined: AnchorReceipt | undefined
  while (!mined) [mined] = await receipts()
  const { txHash, blockNumber, logs } = mined
  const logIndex = anchorEvents(logs)[0]?.logIndex ?? -1
  const anchor = { chainId, contract: at, txHash, blockNumber, logIndex }
  return { receiptId, preimage, hash: hashOf(preimage), anchor }
}

/** The bundle with another place of its event. */
function placed(place: object): object {
  return { ...bundle, anchor: { ...bundle.anchor, ...place } }
}

async function problemOf(
  claimed: unknown,
  expected?: Parameters<typeof verifyReceipt>[2],
): Promise<string> {
  const verdict = await verifyReceipt(claimed, [node.url], expected)
  return verdict.ok ? 'none' : verdict.problem
}

describe('a receipt is valid', () => {
  test('as the service issues it, and the verdict says who anchored it, where and when', async () => {
    const verdict = await verifyReceipt(bundle, [node.url])
    const sender = service().address.toLowerCase()
    expect(verdict).toMatchObject({ ok: true, receiptId })
    expect(verdict.message).toStartWith(
      `${receiptId} was anchored by ${sender} in block ${bundle.anchor?.blockNumber} of chain 84532 at 20`,
    )
  })

  test('of the expected contract and sender in upper or lower case', async () => {
    const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`
    const expected = { contract: upper(contract), sender: upper(service().address) }
    expect(await problemOf(bundle, expected)).toBe('none')
  })
})

test('a receipt whose transaction the first node lacks is read from the next one', async () => {
  const provider = startRpcRelay(node.url)
  provider.misbehave(findingNothing(['eth_getTransactionReceipt']))
  expect((await verifyReceipt(bundle, [provider.url, node.url])).ok).toBe(true)
  expect((await verifyReceipt(bundle, [provider.url])).ok).toBe(false)
  await provider.stop()
})

describe('under Node', () => {
  const program = `
    import { verifyReceipt } from 'quittance/verify-receipt'
    const [bundle, rpcUrl] = process.argv.slice(1)
    console.log(JSON.stringify(await verifyReceipt(JSON.parse(bundle), [rpcUrl])))`

  test.skipIf(!Bun.which('node'))('the verdict is the same, once packed for it', async () => {
    const cwd = Bun.fileURLToPath(new URL('../../', import.meta.url))
    expect(Bun.spawnSync([process.execPath, 'run', 'prepack'], { cwd }).exitCode).toBe(0)
    for (const claimed of [bundle, { ...bundle, hash: '0x00' }]) {
      const words = ['--input-type=module', '-e', program, '--', JSON.stringify(claimed), node.url]
      const child = Bun.spawn(['node', ...words], { cwd, stdout: 'pipe', stderr: 'inherit' })
      const verdict = await new Response(child.stdout).json()
      expect(verdict).toEqual(await verifyReceipt(claimed, [node.url]))
    }
  })
})

describe('a receipt is not valid, and the verdict names the problem', () => {
  const changed = preimage.replace('"net":"1.25"', '"net":"9.25"')
  const revokedAt = '2026-05-02T00:00:00.000Z'
  test.each([
    ['tampered_preimage', 'a field was changed', { preimage: changed }],
    ['tampered_preimage', 'before it is anchored', { preimage: changed, anchor: null }],
    [
      'wrong_hash',
      'a field and the hash were changed',
      { preimage: changed, hash: hashOf(changed) },
    ],
    ['wrong_hash', 'only the hash was changed', { hash: hashOf('another') }],
    ['wrong_receipt_id', 'the preimage is of another receipt', { receiptId: 'drs_other' }],
    ['preimage_not_canonical', 'the same content, written otherwise', { preimage: ` ${preimage}` }],
    ['preimage_not_canonical', 'no JSON', { preimage: '{' }],
    ['not_anchored', 'its event is not on the chain yet', { anchor: null }],
    ['revoked', 'its payment is gone', { revokedAt }],
    ['revoked', 'it never was anchored', { revokedAt, anchor: null }],
    ['malformed_bundle', 'a hash of another type', { hash: 1 }],
    ['malformed_bundle', 'a revocation of another type', { revokedAt: 5 }],
  ])('%s: %s', async (problem, _, over) => {
    expect(await problemOf({ ...bundle, ...over })).toBe(problem)
  })

  test.each([
    ['stale_place', 'another block', () => ({ blockNumber: 1 })],
    ['stale_place', 'another place in the block', () => ({ logIndex: 7 })],
    ['transaction_not_found', 'no such transaction', () => ({ txHash: `0x${'1'.repeat(64)}` })],
    ['wrong_contract', 'a contract that did not emit it', () => ({ contract: elsewhere })],
    ['malformed_bundle', 'no hash', () => ({ txHash: '' })],
    ['malformed_bundle', 'no hexadecimal hash', () => ({ txHash: `0x${'g'.repeat(64)}` })],
    ['malformed_bundle', 'too long a hash', () => ({ txHash: `0x${'1'.repeat(66)}` })],
  ])('%s: the bundle names %s', async (problem, _, place) => {
    expect(await problemOf(placed(place()))).toBe(problem)
  })

  test.each([null, 7, [], {}])('malformed_bundle: %j', async (input) => {
    expect(await problemOf(input)).toBe('malformed_bundle')
  })

  test('malformed_bundle: a block number of another type', async () => {
    const anchor = { ...bundle.anchor, blockNumber: '5' }
    expect(await problemOf({ ...bundle, anchor })).toBe('malformed_bundle')
  })

  test('wrong_contract: the contract that emitted it is not the expected one', async () => {
    const foreign = await anchored(elsewhere)
    expect(await problemOf(foreign)).toBe('none')
    expect(await problemOf(foreign, { contract })).toBe('wrong_contract')
  })

  test('wrong_sender: another sender caused the event', async () => {
    const forged = await anchored(contract, node.wallet(2))
    expect(await problemOf(forged)).toBe('none')
    expect(await problemOf(forged, { sender: service().address })).toBe('wrong_sender')
  })

  test('forged_event: the contract states a false sender or time', async () => {
    const forger = `0x${'f0'.repeat(20)}` as const
    // Emits what it is called with.
    const code = `0x3660006000377f${eventTopic.slice(2)}366000a100`
    await node.rpc('anvil_setCode', [forger, code])
    let seconds = 4_000_000_000
    const emittedBy = async (from: Hex, sender: Hex, agoSeconds = 0) => {
      seconds += 60
      await node.rpc('evm_setNextBlockTimestamp', [seconds])
      const types = parseAbiParameters('bytes32, string, uint256, address')
      const at = BigInt(seconds - agoSeconds)
      const data = encodeAbiParameters(types, [hashOf(preimage) as Hex, receiptId, at, sender])
      const txHash = await node.send({ from, to: forger, data })
      const mined = await node.rpc<RawReceipt>('eth_getTransactionReceipt', [txHash])
      const [blockNumber, logIndex] = [mined.blockNumber, mined.logs[0]?.logIndex].map(Number)
      return placed({ contract: forger, txHash, blockNumber, logIndex })
    }
    const [us, thief] = [service().address as Hex, node.wallet(2).address as Hex]
    expect(await problemOf(await emittedBy(thief, thief))).toBe('none')
    const inOurName = await emittedBy(thief, us)
    expect(await problemOf(inOurName)).toBe('forged_event')
    expect(await problemOf(inOurName, { sender: us })).toBe('forged_event')
    expect(await problemOf(await emittedBy(thief, thief, 86_400))).toBe('forged_event')
  })

  test('event_not_found: the transaction is about something else', async () => {
    const txHash = await node.mint(service().address, 1n)
    expect(await problemOf(placed({ txHash }))).toBe('event_not_found')
  })

  test('failed_transaction: it reverted', async () => {
    const from = node.wallet(2).address
    const txHash = await node.send({ from, to: contract as `0x${string}`, data: '0xdeadbeef' })
    expect(await problemOf(placed({ txHash }))).toBe('failed_transaction')
  })
})

describe('there is no verdict', () => {
  test('without the URL of a node', async () => {
    const call = verifyReceipt as (...args: unknown[]) => Promise<unknown>
    for (const urls of [undefined, null, '', [], [''], [node.url, ''], [undefined], { rpc: '' }])
      await expect(call({}, urls)).rejects.toThrow('needs the URL of a node')
  })

  test.each([
    ['nothing', ''],
    ['only the start of a bundle', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"receiptId":'],
  ])('from a URL that answers %s in time', async (_, answer) => {
    const server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.write(answer) },
    })
    const reading = readBundle(`http://127.0.0.1:${server.port}/bundle`, 200)
    await expect(reading).rejects.toBeInstanceOf(UnreadableBundle)
    server.stop(true)
  })

  test('from a node that does not answer', async () => {
    const provider = startRpcRelay(node.url)
    provider.misbehave(() => new Response('', { status: 502 }))
    await expect(verifyReceipt(bundle, [provider.url])).rejects.toThrow('HTTP 502')
    await provider.stop()
  })

  test('from what is not a node: the error has its status and message', async () => {
    const provider = startRpcRelay(node.url)
    for (const error of [
      { code: 'NOT_FOUND', message: 'No such page' },
      { message: 'No such page' },
    ]) {
      provider.misbehave(() => Response.json({ error }, { status: 404 }))
      await expect(verifyReceipt(bundle, [provider.url])).rejects.toThrow(
        /^the node answered HTTP 404: No such page$/,
      )
    }
    await provider.stop()
  })

  test('from a node of another chain', async () => {
    await expect(verifyReceipt(placed({ chainId: 1 }), [node.url])).rejects.toThrow('chain')
  })
})

describe('on the command line', () => {
  const run = (...options: readonly string[]) => runOn('-', node.url, ...options)

  async function runOn(source: string, rpcUrl: string, ...options: readonly string[]) {
    const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
    const words = ['src/cli.ts', 'verify-receipt', source, '--rpc', rpcUrl, '--json', ...options]
    const child = Bun.spawn([process.execPath, ...words], {
      cwd: root,
      stdin: new Blob([JSON.stringify(bundle)]),
      stderr: 'pipe',
    })
    const [text, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { code: await child.exited, text, stderr }
  }

  test('0 and the verdict of a valid receipt of the expected contract and sender', async () => {
    const { code, text } = await run('--contract', contract, '--sender', service().address)
    expect(code).toBe(0)
    expect(JSON.parse(text)).toMatchObject({ ok: true, receiptId })
  })

  test('1 and the problem of a receipt of another sender or contract', async () => {
    for (const [options, problem] of [
      [['--sender', node.wallet(2).address], 'wrong_sender'],
      [['--contract', elsewhere], 'wrong_contract'],
    ] as const) {
      const { code, text } = await run(...options)
      expect([code, JSON.parse(text)]).toMatchObject([1, { ok: false, problem }])
    }
  })

  test('2 for an invalid address', async () => {
    const { code, stderr } = await run('--sender', 'me')
    expect(code).toBe(2)
    expect(stderr).toContain('must be 0x and 40 hex digits')
  })

  test('3 and the answer if the URL does not answer with a bundle', async () => {
    const refusal = { error: { code: 'RATE_LIMITED', message: 'Too many requests', status: 429 } }
    const receiver = startReceiver(() =>
      Response.json(refusal, { status: 429, headers: { 'retry-after': '31' } }),
    )
    const limited = await runOn(receiver.url, node.url)
    const message = `The bundle cannot be read from ${receiver.url}: HTTP 429 RATE_LIMITED, try again in 31 s`
    const answered = { status: 429, answerCode: 'RATE_LIMITED', retryAfterSeconds: 31 }
    expect([limited.code, limited.stderr]).toEqual([3, `${message}\n`])
    expect(JSON.parse(limited.text)).toEqual({
      error: { code: 'bundle_unreadable', message, ...answered },
    })
    await receiver.stop()
    const proxy = startReceiver(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
    const away = await runOn(proxy.url, node.url)
    expect([away.code, JSON.parse(away.text).error]).toMatchObject([
      3,
      { message: `The bundle cannot be read from ${proxy.url}: HTTP 502`, status: 502 },
    ])
    await proxy.stop()
  })

  test('3 if the node does not answer', async () => {
    const provider = startRpcRelay(node.url)
    provider.misbehave(() => new Response('', { status: 502 }))
    const { code, text } = await runOn('-', provider.url)
    expect([code, JSON.parse(text).error.code]).toEqual([3, 'chain_unreadable'])
    await provider.stop()
  })
})
