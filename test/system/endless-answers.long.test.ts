import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createdInvoice } from '../support/app.ts'
import { endlessAnswer } from '../support/rpc-faults.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const longest = 10

const { node, relays, send, start } = useWorld({
  chains: ['base', 'solana'],
  funded: [1],
  relayed: true,
  service: 'apart',
  env: { BASE_WALLET: wallet, BASE_CONFIRMATIONS: '3', LOG_LEVEL: 'info' },
})

test('a process stays small while nodes answer without end, and settles by smaller ranges of blocks', async () => {
  const service = await start()
  const { id, total, paymentDetails } = await createdInvoice({ send })
  const isSettled = async () =>
    (await send('GET', `/v1/invoices/${id}`)).json.data.status === 'SETTLED'
  await eventually(isBaseRead)
  const endless = endlessAnswer()
  relays.solana?.misbehave(endless)
  relays.base?.misbehave(async (request, forward) => {
    const isLong = request.some(({ method, params: [filter] }) => {
      const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock: string; toBlock: string }
      return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= longest
    })
    return isLong ? endless(request, forward) : Response.json(await forward(request))
  })
  const usdcBase = BigInt(Math.round(Number(total) * 1e6))
  const { reference } = paymentDetails
  await node.mine(30)
  await node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase, reference })
  await node.mine(120)
  await eventually(isSettled, 60_000)
  expect(mostMemoryMib(service.process.pid)).toBeLessThan(400)
})

async function isBaseRead(): Promise<boolean> {
  const { chains } = (await send('GET', '/readyz')).json
  type Shown = { chain: string; fault: string | null }
  return chains.some(({ chain, fault }: Shown) => chain === 'base' && fault === null)
}

function mostMemoryMib(pid: number): number {
  const [, kib = ''] = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
