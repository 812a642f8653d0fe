import manifest from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { notesOn } from '../config/notes.ts'
import { type Receiver, receiversOf, walletVariables } from '../config/receivers.ts'
import type { Secrets } from '../config/secrets.ts'

type Ready = {
  readonly config: Config
  readonly secrets: Secrets
  /** Null in a worker. */
  readonly url: string | null
  readonly hasAccount: boolean
}

/** How commands are called here, by the way in which npm has started this process. */
const quittance = process.env.npm_command === 'exec' ? 'npx quittance' : 'npm run quittance --'

/** For the person at the terminal in which the service has just started. */
export function welcome({ config, secrets, url, hasAccount }: Ready): string {
  const receivers = receiversOf(config, secrets)
  const missing = [...generated(receivers), ...notesOn(config)]
  return `${[
    `Quittance ${manifest.version} is ready${url ? ` at ${url}` : ''}`,
    ...(url ? [`  dashboard  ${url}/dashboard`, `  API        ${url}/docs`] : []),
    ...(config.databaseUrl === null ? [`  data       ${config.dataDir}; back it up`] : []),
    ...receivers.map((one) => `  paid to    ${one.address} on ${one.chains.join(', ')}`),
    ...(missing.length > 0
      ? ['', 'Before money arrives', ...missing.map((one) => `  · ${one}`)]
      : []),
    '',
    hasAccount
      ? 'Commands'
      : 'Create the first account; its keys are printed once. The dashboard needs one of them',
    ...(hasAccount ? [] : [`  ${quittance} account create --name Example --plan pro`]),
    `  ${quittance} doctor      checks everything and says what to do`,
    `  ${quittance} --help      lists all commands; Ctrl-C ends the service`,
  ]
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')}\n`
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
