import { expect, test } from 'bun:test'

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))
/** Most of it is waiting for blocks. */
const limitMs = 180_000

async function demo(...args: string[]) {
  const child = Bun.spawn([process.execPath, '--no-orphans', 'demo/main.ts', ...args], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [text, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, lines: text.split('\n'), complaint }
}

test(
  'on Solana goes from an invoice to a verified receipt, by the memo of a payment',
  async () => {
    const { code, lines, complaint } = await demo('--chain', 'solana')
    expect(complaint).toBe('')
    expect(code).toBe(0)
    expect(lines.join('\n')).toContain('settles the invoice by itself: matched by reference')
    expect(lines.filter((line) => line.startsWith('ok '))).toHaveLength(11)
  },
  limitMs,
)

test(
  'on all chains settles five invoices, one line each',
  async () => {
    const { code, lines, complaint } = await demo('--chain', 'all')
    expect(complaint).toBe('')
    expect(code).toBe(0)
    const settled = lines.filter((line) => line.endsWith('▸ verified'))
    expect(settled.map((line) => line.split(/\s+/)[3]).toSorted()).toEqual([
      ...['arbitrum', 'base', 'polygon', 'skale', 'solana'],
    ])
  },
  limitMs,
)

test('names the chains it knows when asked for another one', async () => {
  const { code, complaint } = await demo('--chain', 'dogecoin')
  expect(code).toBe(2)
  expect(complaint).toBe('--chain is one of base, polygon, arbitrum, solana, skale or all\n')
})
