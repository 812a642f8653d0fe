import { describe, expect, test } from 'bun:test'
import { invoiceChains, networks } from '../../src/domain/network.ts'
import { type ChainRow, registry } from '../../src/domain/registry.ts'

/** What the pages say about chains is the table of chains. */

const page = (name: string) => Bun.file(new URL(`../../docs/${name}`, import.meta.url)).text()
const names = networks.map((network) => network.toUpperCase()).join(', ')

describe('the contract’s table', async () => {
  const contract = await page('contract.md')
  const table = contract.slice(contract.indexOf('## 6.'), contract.indexOf('## 7.'))
  const lines = table.split('\n').filter((line) => /^\| [a-z]+ \|(?! chain id)/.test(line))

  test('has a line for each chain and no other', () => {
    const named = lines.map((line) => line.split(' | ')[0]?.slice(2))
    expect(named.join()).toBe(networks.join())
  })

  test.each(networks.map((network, at) => [network, at] as const))(
    'describes %s',
    (network, at) => {
      const [, , ...cells] = (lines[at] ?? '').split('|').map((cell) => cell.trim())
      const [notes, ...facts] = [cells[4] ?? '', ...cells.slice(0, 4)]
      expect(facts).toEqual(factsOf(registry[network]))
      expect(notes.includes('gasless')).toBe(registry[network].gasless)
      expect(notes.includes('not accepted')).toBe(!invoiceChains.some((one) => one === network))
    },
  )
})

test('variables and queues are listed for each chain', async () => {
  expect(await page('contract.md').then(flat)).toContain(`(\`<CHAIN>\` is ${names}.)`)
  expect(await page('configuration.md')).toContain(`per chain: ${names}`)
  const queues = networks.map((network) => `watch:${network}`).join(',')
  expect(await page('scale.md')).toContain(`QUEUES=${queues}\n`)
})

function factsOf({ chainId, confirmations, usdcAddress, usdcDomain }: ChainRow): string[] {
  const { blocks, finalized } = confirmations
  const depth = blocks === 1 ? '1 block' : `${blocks} blocks`
  return [
    `${chainId ?? ''}`,
    finalized ? `\`finalized\`, else ${depth}` : depth,
    usdcAddress,
    usdcDomain ? `\`${usdcDomain.name}\`/\`${usdcDomain.version}\`` : '',
  ]
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ')
}
