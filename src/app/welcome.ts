import manifest from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { notesOn } from '../config/notes.ts'
import { type Receiver, receiversOf, walletVariables } from '../config/receivers.ts'
import type { Secrets } from '../config/secrets.ts'
import { invoiceChains } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'

type Ready = {
  readonly config: Config
  readonly secrets: Secrets
  /** Null in a worker. */
  readonly url: string | null
  readonly hasAccount: boolean
}

/** A checkout runs its source, the package a bundle. */
const quittance = import.meta.url.endsWith('.ts') ? 'npm run quittance --' : 'npx quittance'

/** For the person at the terminal in which the service has just started. */
export function welcome(ready: Ready): string {
  const { config, secrets, url } = ready
  const receivers = receiversOf(config, secrets)
  const missing = [...generated(receivers), ...unpaid(config, secrets), ...notesOn(config)]
  const lines = [
    `Quittance ${manifest.version} is ready${url ? ` at ${url}` : ''}`,
    ...(url ? [`  dashboard  ${url}/dashboard`, `  API        ${url}/docs`] : []),
    ...(config.databaseUrl === null ? [`  data       ${config.dataDir}; back it up`] : []),
    ...receivers.map((one) => `  paid to    ${one.address} on ${one.chains.join(', ')}`),
    ...(missing.length > 0 ? ['', 'Missing so far', ...missing.map((one) => `  · ${one}`)] : []),
    '',
    ...commands(ready),
  ]
  return `${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n`
}

function commands({ hasAccount }: Ready): readonly string[] {
  const first = [
    'Create the first account. Its keys are shown once; the dashboard asks for the API key',
    `  ${quittance} account create --name Example --plan pro`,
  ]
  return [
    ...(hasAccount ? ['Commands'] : first),
    `  ${quittance} doctor      checks everything and says what to do`,
    `  ${quittance} --help      lists all commands; Ctrl-C ends the service`,
  ]
}

function unpaid({ depositXpub }: Config, { wallets }: Secrets): readonly string[] {
  const chains = invoiceChains.filter(
    (chain) => wallets[chain] === null && !(depositXpub && registry[chain].kind === 'evm'),
  )
  if (chains.length === 0) return []
  return [`nobody is paid on ${chains.join(', ')} (no ${walletVariables(chains)})`]
}

function generated(receivers: readonly Receiver[]): readonly string[] {
  const ours = receivers.filter(({ keyFile }) => keyFile !== null)
  if (ours.length === 0) return []
  const variables = walletVariables(ours.flatMap(({ chains }) => chains))
  return [
    `the service generated these addresses; their private keys are in ${ours[0]?.keyFile}`,
    `to be paid at your own wallets, set ${variables}`,
  ]
}
