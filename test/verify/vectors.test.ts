import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { canonical, type Json } from '../../src/domain/canonical.ts'
import { toHex } from '../../src/domain/hash.ts'
import { claimHash } from '../../src/domain/receipts/claims.ts'
import { rootOf } from '../../src/domain/receipts/merkle.ts'
import { type Ask, NodeError } from '../../src/verify/node.ts'
import { type Issuer, verify } from '../../src/verify/verify-receipt.ts'
import { batchOf, receiptOf } from '../support/receipts.ts'

/** docs/receipts.md says what the vectors are. They were made once, and do not change. */
type Vectors = {
  readonly issuer: Issuer
  readonly claims: readonly {
    readonly salt: string
    readonly text: string
    readonly hash: string
  }[]
  readonly leaves: readonly string[]
  readonly roots: readonly { readonly size: number; readonly root: string }[]
  readonly nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly vectors: readonly Vector[]
}

type Vector = {
  readonly name: string
  readonly verdict: string
  readonly node: string
  readonly issuer?: Issuer
  readonly bundle: unknown
}

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
const text = await Bun.file(`${root}test/vectors/receipts.json`).text()
const { issuer, claims, leaves, roots, nodes, vectors }: Vectors = JSON.parse(text)

async function verdictOn({ bundle, node, issuer: by = issuer }: Omit<Vector, 'name' | 'verdict'>) {
  const ask: Ask = async (method) => nodes[node]?.[method]
  try {
    const verdict = await verify(bundle, ask, by)
    return verdict.ok ? 'valid' : verdict.problem
  } catch (error) {
    if (error instanceof NodeError) return 'no_verdict'
    throw error
  }
}

/** Without Python its tests are skipped, which the last line of a run says. */
const hasPython = Bun.which('python3') !== null

/** What docs/examples/verify_receipt.py says of each. `input` is JSON text. */
async function verdictsInPython(input: string): Promise<readonly string[]> {
  const program = `
import json, sys
sys.path.insert(0, "docs/examples")
from verify_receipt import NoVerdict, verify
given = json.load(sys.stdin)
def verdict(vector):
    node = given["nodes"][vector["node"]]
    try:
        return verify(vector["bundle"], lambda method, params: node[method], vector.get("issuer", given["issuer"]))
    except NoVerdict:
        return "no_verdict"
print(json.dumps([verdict(vector) for vector in given["vectors"]]))`
  const child = Bun.spawn(['python3', '-B', '-c', program], {
    ...{ cwd: root, stdin: new Blob([input]), stdout: 'pipe', stderr: 'inherit' },
  })
  return (await child.stdout.json()) as readonly string[]
}

describe('the vectors', () => {
  test.each([...vectors])('$name: $verdict', async (vector) => {
    expect(await verdictOn(vector)).toBe(vector.verdict)
  })

  test.skipIf(!hasPython)('are read alike in Python', async () => {
    const verdicts = await verdictsInPython(text)
    expect(vectors.map(({ name }, at) => [name, verdicts[at]])).toEqual(
      vectors.map(({ name, verdict }) => [name, verdict]),
    )
  })

  test('have the hashes and roots that the service computes', () => {
    for (const { salt, text, hash } of claims) {
      const claim = JSON.parse(text) as [string, Json]
      expect(canonical(claim)).toBe(text)
      expect(toHex(claimHash(Buffer.from(salt.slice(2), 'hex'), claim))).toBe(hash)
    }
    const digests = leaves.map((leaf) => Buffer.from(leaf.slice(2), 'hex'))
    for (const { size, root } of roots) expect(toHex(rootOf(digests.slice(0, size)))).toBe(root)
  })

  test('are those of the first release', () => {
    // Whoever has implemented a verifier relies on them.
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      'de739a72f4d93327c89016d8df9f83011208b5af2a635986037d56d7d1218adc',
    )
  })
})

test.skipIf(!hasPython)(
  'both verifiers say the same of bundles of any claims, changed anywhere',
  async () => {
    const name = fc.stringMatching(/^[a-z][A-Za-z0-9]{0,8}$/)
    const content = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>, {
      ...{ minKeys: 1, maxKeys: 6, noNullPrototype: true },
    })
    const place = {
      ...{ chainId: 84532, contract: issuer.contract, txHash: `0x${'a7'.repeat(32)}` },
      ...{ blockNumber: 1000, logIndex: 3 },
    }
    const changed = fc
      .tuple(content, fc.nat(4), fc.nat(), fc.constantFrom(...'0123456789abcdef{}[]",:x.-eE '))
      .map(([stated, size, at, other]) => {
        const others = Array.from({ length: size }, (_, n) => receiptOf({}, n))
        const { receiptId: _, ...bundle } = batchOf(receiptOf(stated), others).bundleAt(place)
        const text = JSON.stringify(bundle)
        const from = at % text.length
        return text.slice(0, from) + other + text.slice(from + 1)
      })
      .filter(isJson)
    const bundles = fc.sample(changed, 400)
    const made = bundles.map((bundle) => `{"node":"honest","bundle":${bundle}}`).join()
    const known = JSON.stringify({ issuer, nodes })
    const given = `${known.slice(0, -1)},"vectors":[${made}]}`
    const { vectors } = JSON.parse(given) as Pick<Vectors, 'vectors'>
    const verdicts = await Promise.all(vectors.map(verdictOn))
    expect(new Set(verdicts).size).toBeGreaterThan(2)
    expect(await verdictsInPython(given)).toEqual(verdicts)
  },
)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
