/**
 * `npm run demo [-- --chain <chain>|all] [--keep]`: demonstrates the service on real parts. It
 * starts a node (of base by default), the service and a webhook receiver, pays an invoice, and
 * checks everything that should follow. Exits with 0 only if every step was observed.
 */
import { parseArgs } from 'node:util'
import { Listr } from 'listr2'
import { type InvoiceChain, invoiceChains } from '../src/domain/network.ts'
import { registry } from '../src/domain/registry.ts'
import { isBuilt } from '../src/files.ts'
import { allChains } from './all-chains.ts'
import { oneChain } from './one-chain.ts'
import { closeStage, openStage, type Stage } from './stage.ts'
import { interrupted, isList } from './step.ts'

const command = isBuilt ? 'npx quittance demo' : 'npm run demo --'
const usage = `${command} [--chain ${invoiceChains.join('|')}|all] [--keep]`
const { chain: asked, keep } = readOptions()
const chain = invoiceChains.find((name) => name === asked)
if (!chain && asked !== 'all') refuseUsage(`--chain is one of ${invoiceChains.join(', ')} or all`)

const stage = openStage()
const story = chain ? oneChain(stage, chain) : allChains(stage)
const list = new Listr<unknown, 'default' | 'silent'>([...story.steps], {
  concurrent: false,
  renderer: isList ? 'default' : 'silent',
  rendererOptions: { collapseSubtasks: false },
  // Ends with what it has started, which is for us to end.
  registerSignalListeners: false,
})

/** The list hides it while it is drawn. */
const showCursor = '\u001b[?25h'
const interruption = '\nInterrupted; what it had started has ended.\n'

try {
  const started = performance.now()
  const isThrough = await Promise.race([list.run().then(() => true), interrupted])
  if (isThrough) {
    console.log(`\n${story.outcome()}`)
    console.log(`\nDone in ${((performance.now() - started) / 1_000).toFixed(1)} s.`)
    if (!keep) console.log(`\nAll of it ends now; \`${command} --keep\` leaves it running.`)
    else {
      console.log(urls(stage, story.hints()))
      console.log(`\nFor the quickstarts:\n${variables(stage)}`)
      await interrupted
    }
  } else process.exitCode = 130
} catch (error) {
  reportFailure(error as Error)
  process.exitCode = 1
} finally {
  await closeStage(stage)
}
// Not by `process.stdout`: a list that was interrupted still holds back what is written there.
if (isList)
  await Bun.write(Bun.stdout, `${process.exitCode === 130 ? interruption : ''}${showCursor}`)
// A step that was interrupted may still be waiting.
process.exit()

function reportFailure({ message }: Error): void {
  console.error(`\nThe demo failed: ${message}`)
  const lines = stage.service?.lines.filter(({ level }) => level !== 'info') ?? []
  for (const line of lines.slice(-10)) console.error(JSON.stringify(line))
}

function urls(stage: Stage, of: readonly string[]): string {
  const { service, chains, dataDir, v1Key } = stage
  const lines = [
    ...of,
    `dashboard ${service.url}/dashboard (log in with ${v1Key})`,
    `API       ${service.url}/docs`,
    `ready     ${service.url}/readyz`,
    ...chains.map(({ chain, url }) => `node      ${url} (${nameOf(chain)})`),
    `data      ${dataDir}`,
  ]
  return `\nStill running; Ctrl-C ends it.\n${lines.map((line) => `  ${line}`).join('\n')}`
}

/** The variables of the quickstarts, to paste into a shell. */
function variables({ service, chains, v1Key, signingSecret }: Stage): string {
  const payable = chains.find(({ chain }) => chain !== 'solana')
  const values = {
    QUITTANCE_URL: service.url,
    QUITTANCE_KEY: v1Key,
    SIGNING_SECRET: signingSecret,
    ...(payable && { PAYER_PRIVATE_KEY: payable.payerKey, RPC_URL: payable.url }),
  }
  return Object.entries(values)
    .map(([name, value]) => `  export ${name}=${value}`)
    .join('\n')
}

function nameOf(chain: InvoiceChain): string {
  const { chainId } = registry[chain]
  return chainId === null ? chain : `${chain}, chain ${chainId}`
}

function readOptions() {
  try {
    const options = {
      chain: { type: 'string', default: 'base' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    } as const
    const { values } = parseArgs({ options })
    if (values.help) {
      console.log(usage)
      process.exit(0)
    }
    return values
  } catch (error) {
    return refuseUsage((error as Error).message)
  }
}

function refuseUsage(message: string): never {
  console.error(`${message}\n${usage}`)
  process.exit(2)
}
