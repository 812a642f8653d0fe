import solc from 'solc'
import { compile } from './compile.ts'

const artifactUrl = new URL('../src/chain/anchor/artifact.json', import.meta.url)

/** Compiles `Anchor.sol` and answers the text of the checked-in artifact. */
export async function buildArtifact(): Promise<string> {
  const source = await Bun.file(new URL('Anchor.sol', import.meta.url)).text()
  const { abi, evm } = compile('Anchor', source)
  const artifact = { abi, bytecode: `0x${evm.bytecode.object}`, compiler: solc.version() }
  return `${JSON.stringify(artifact, null, 2)}\n`
}

if (import.meta.main) await Bun.write(artifactUrl, await buildArtifact())
