import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { encodeAbiParameters, type Hex, parseAbiParameters, toEventSelector } from 'viem'
import { anchorClient } from '../../src/chain/anchor/anchor.ts'
import { deployAnchor } from '../../src/chain/anchor/deployment.ts'
import { type AnchorReceipt, anchorEvents } from '../../src/chain/anchor/events.ts'
import { canonical } from '../../src/domain/canonical.ts'
import { type Bundle, hashOf } from '../../src/domain/receipts/receipt.ts'
import { type Verdict, verifyReceipt } from '../../src/operator/verify-receipt.ts'
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

function at(place: Partial<NonNullable<Bundle['anchor']>>): Bundle {
  return { ...bundle, anchor: bundle.anchor && { ...bundle.anchor, ...place } }
}

async function problemOf(
  claimed: unknown,
  expected?: Parameters<typeof verifyReceipt>[2],
): Promise<string> {
  const verdict = await verifyReceipt(claimed, [node.url], expected)
  return verdict.ok ? 'none' : verdict.problem
}

describe('a receipt is valid', () => {
  test('as the service hands it out, and the verdict says who anchored it, where and when', async () => {
    const verdict = await verifyReceipt(bundle, [node.url])
    const sender = service().address.toLowerCase()
    expect(verdict).toMatchObject({ ok: true, receiptId })
    expect(verdict.message).toStartWith(
      `${receiptId} was anchored by ${sender} in block ${bundle.anchor?.blockNumber} of chain 84532 at 20`,
    )
  })

  test('of the expected contract and sender in any spelling', async () => {
    const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`
    const expected = { contract: upper(contract), sender: upper(service().address) }
    expect(await problemOf(bundle, expected)).toBe('none')
  })
})

test('a receipt whose transaction the first node lacks is valid as the next one shows it', async () => {
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

describe('a receipt is not valid, and the verdict tells which it is', () => {
  test('tampered_preimage: a field was changed', async () => {
    const tampered = { ...bundle, preimage: preimage.replace('"net":"1.25"', '"net":"9.25"') }
    expect(await problemOf(tampered)).toBe('tampered_preimage')
    expect(await problemOf({ ...tampered, anchor: null })).toBe('tampered_preimage')
  })

  test('wrong_hash: a field was changed and the hash made to fit, so that the chain holds another', async () => {
    const tampered = preimage.replace('"net":"1.25"', '"net":"9.25"')
    const fitting = { ...bundle, preimage: tampered, hash: hashOf(tampered) }
    expect(await problemOf(fitting)).toBe('wrong_hash')
  })

  test('wrong_hash: the hash alone was changed, and the chain holds that of the preimage', async () => {
    expect(await problemOf({ ...bundle, hash: hashOf('another') })).toBe('wrong_hash')
  })

  test('wrong_receipt_id: the preimage is of another receipt', async () => {
    expect(await problemOf({ ...bundle, receiptId: 'drs_other' })).toBe('wrong_receipt_id')
  })

  test('preimage_not_canonical: the same content, spelled another way', async () => {
    expect(await problemOf({ ...bundle, preimage: ` ${preimage}` })).toBe('preimage_not_canonical')
    expect(await problemOf({ ...bundle, preimage: '{' })).toBe('preimage_not_canonical')
  })

  test('wrong_contract: the bundle names a contract that did not emit the event', async () => {
    expect(await problemOf(at({ contract: elsewhere }))).toBe('wrong_contract')
  })

  test('wrong_contract: the contract that emitted it is not the expected one', async () => {
    const foreign = await anchored(elsewhere)
    expect(await problemOf(foreign)).toBe('none')
    expect(await problemOf(foreign, { contract })).toBe('wrong_contract')
  })

  test('wrong_sender: somebody else had the contract emit it', async () => {
    const forged = await anchored(contract, node.wallet(2))
    expect(await problemOf(forged)).toBe('none')
    expect(await problemOf(forged, { sender: service().address })).toBe('wrong_sender')
  })

  test('forged_event: its contract names a sender who did not send it, or another time', async () => {
    const forger = `0x${'f0'.repeat(20)}` as const
    // Emits what it is called with.
    const code = `0x3660006000377f${eventTopic.slice(2)}366000a100`
    await node.rpc('anvil_setCode', [forger, code])
    let seconds = 4_000_000_000
    const emittedBy = async (from: Hex, sender: Hex, agoSeconds = 0) => {
      seconds += 60
      await node.rpc('evm_setNextBlockTimestamp', [seconds])
      const said = [
        hashOf(preimage) as Hex,
        receiptId,
        BigInt(seconds - agoSeconds),
        sender,
      ] as const
      const data = encodeAbiParameters(
        parseAbiParameters('bytes32, string, uint256, address'),
        said,
      )
      const txHash = await node.send({ from, to: forger, data })
      const { blockNumber, logs } = await node.rpc<RawReceipt>('eth_getTransactionReceipt', [
        txHash,
      ])
      const logIndex = Number(logs[0]?.logIndex)
      return at({ contract: forger, txHash, blockNumber: Number(blockNumber), logIndex })
    }
    const [us, thief] = [service().address as Hex, node.wallet(2).address as Hex]
    expect(await problemOf(await emittedBy(thief, thief))).toBe('none')
    const inOurName = await emittedBy(thief, us)
    expect(await problemOf(inOurName)).toBe('forged_event')
    expect(await problemOf(inOurName, { sender: us })).toBe('forged_event')
    expect(await problemOf(await emittedBy(thief, thief, 86_400))).toBe('forged_event')
  })

  test('not_anchored: the receipt waits for its event', async () => {
    expect(await problemOf({ ...bundle, anchor: null })).toBe('not_anchored')
  })

  test('stale_place: the event is in another block, or at another place in it', async () => {
    expect(await problemOf(at({ blockNumber: 1 }))).toBe('stale_place')
    expect(await problemOf(at({ logIndex: 7 }))).toBe('stale_place')
  })

  test('event_not_found: the transaction is about something else', async () => {
    const txHash = await node.mint(service().address, 1n)
    expect(await problemOf(at({ txHash }))).toBe('event_not_found')
  })

  test('failed_transaction: it reverted', async () => {
    const from = node.wallet(2).address
    const txHash = await node.send({ from, to: contract as `0x${string}`, data: '0xdeadbeef' })
    expect(await problemOf(at({ txHash }))).toBe('failed_transaction')
  })

  test('transaction_not_found: the chain has no such transaction', async () => {
    expect(await problemOf(at({ txHash: `0x${'1'.repeat(64)}` }))).toBe('transaction_not_found')
  })

  test('revoked: its payment is gone, whether or not it had been anchored before', async () => {
    const revoked = { ...bundle, revokedAt: '2026-05-02T00:00:00.000Z' }
    expect(await problemOf(revoked)).toBe('revoked')
    expect(await problemOf({ ...revoked, anchor: null })).toBe('revoked')
  })

  test('malformed_bundle: it is something else altogether', async () => {
    const place = { ...bundle.anchor, blockNumber: '5' }
    const wrong = [
      { ...bundle, hash: 1 },
      { ...bundle, anchor: place },
      { ...bundle, revokedAt: 5 },
      at({ txHash: '' }),
      at({ txHash: `${bundle.anchor?.txHash.slice(0, -1)}g` }),
      at({ txHash: `${bundle.anchor?.txHash}00` }),
    ]
    for (const input of [null, 7, [], {}, ...wrong])
      expect(await problemOf(input)).toBe('malformed_bundle')
  })
})

describe('nothing is said of a receipt', () => {
  test('by a node that does not answer', async () => {
    const provider = startRpcRelay(node.url)
    provider.misbehave(() => new Response('', { status: 502 }))
    await expect(verifyReceipt(bundle, [provider.url])).rejects.toThrow('HTTP 502')
    await provider.stop()
  })

  test('by what is no node: the error has its status and its words', async () => {
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

  test('by a node of another chain', async () => {
    await expect(verifyReceipt(at({ chainId: 1 }), [node.url])).rejects.toThrow('chain')
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
    expect(JSON.parse(text) as Verdict).toMatchObject({ ok: true, receiptId })
  })

  test('1 and the problem of one by another sender, or of another contract', async () => {
    const bySomebody = await run('--sender', node.wallet(2).address)
    expect(bySomebody.code).toBe(1)
    expect(JSON.parse(bySomebody.text)).toMatchObject({ ok: false, problem: 'wrong_sender' })
    const ofAnother = await run('--contract', elsewhere)
    expect(ofAnother.code).toBe(1)
    expect(JSON.parse(ofAnother.text)).toMatchObject({ ok: false, problem: 'wrong_contract' })
  })

  test('2 for an address that is none', async () => {
    const { code, stderr } = await run('--sender', 'me')
    expect(code).toBe(2)
    expect(stderr).toContain('must be 0x and 40 hex digits')
  })

  test('3 and no verdict where the URL answers anything but a bundle, with what it answers', async () => {
    const refusal = { error: { code: 'RATE_LIMITED', message: 'Too many requests', status: 429 } }
    const receiver = startReceiver(() =>
      Response.json(refusal, { status: 429, headers: { 'retry-after': '31' } }),
    )
    const limited = await runOn(receiver.url, node.url)
    const message = `The bundle cannot be read from ${receiver.url}: HTTP 429 RATE_LIMITED, try again in 31 s`
    expect(limited).toEqual({
      code: 3,
      text: `${JSON.stringify({
        error: {
          code: 'bundle_unreadable',
          message,
          status: 429,
          answerCode: 'RATE_LIMITED',
          retryAfterSeconds: 31,
        },
      })}\n`,
      stderr: `${message}\n`,
    })
    await receiver.stop()
    const proxy = startReceiver(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
    const away = await runOn(proxy.url, node.url)
    expect([away.code, JSON.parse(away.text).error]).toMatchObject([
      3,
      {
        code: 'bundle_unreadable',
        message: `The bundle cannot be read from ${proxy.url}: HTTP 502`,
        status: 502,
      },
    ])
    await proxy.stop()
  })

  test('3 and no verdict where the node does not answer', async () => {
    const provider = startRpcRelay(node.url)
    provider.misbehave(() => new Response('', { status: 502 }))
    const { code, text } = await runOn('-', provider.url)
    expect([code, JSON.parse(text).error.code]).toEqual([3, 'chain_unreadable'])
    await provider.stop()
  })
})
