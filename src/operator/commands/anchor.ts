import { Command } from 'commander'
import { deployAnchor } from '../../chain/anchor/deployment.ts'
import { ConfigError, readConfig } from '../../config/config.ts'
import { loadSecrets } from '../../config/secrets.ts'
import { print } from '../output.ts'

export function anchorCommand(): Command {
  const anchor = new Command('anchor').description('manage the anchor contract')
  anchor
    .command('deploy')
    .description('deploy it on the chain of ANCHOR_RPC_URL; ANCHOR_PRIVATE_KEY pays')
    .action(deploy)
  return anchor
}

async function deploy(options: { json?: boolean }): Promise<void> {
  const config = readConfig()
  const { anchorPrivateKey: privateKey } = await loadSecrets(config)
  const { rpcUrls } = config.anchor
  if (rpcUrls.length === 0) throw new ConfigError('ANCHOR_RPC_URL is not set')
  if (!privateKey) throw new ConfigError('ANCHOR_PRIVATE_KEY is not set')
  const deployed = await deployAnchor({ rpcUrls, privateKey })
  print(options, deployed, [
    `ANCHOR_CONTRACT=${deployed.contract}`,
    `transaction ${deployed.txHash}`,
  ])
}
