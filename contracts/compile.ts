import solc from 'solc'

type Compiled = {
  readonly abi: unknown
  readonly evm: Readonly<Record<'bytecode' | 'deployedBytecode', { readonly object: string }>>
}

/**
 * Compiles the contract `name` in a Solidity source. The same compiler gives the same bytes on
 * every machine: there is no metadata hash, and the instructions are those of the oldest EVM
 * version that the compiler still supports, which SKALE runs too. Throws the compiler's errors and
 * warnings.
 */
export function compile(name: string, source: string): Compiled {
  const file = `${name}.sol`
  const outputs = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object']
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { [file]: { content: source } },
        settings: {
          optimizer: { enabled: true, runs: 1_000 },
          evmVersion: 'london',
          metadata: { bytecodeHash: 'none', appendCBOR: false },
          outputSelection: { [file]: { [name]: outputs } },
        },
      }),
    ),
  )
  if (output.errors?.length) {
    throw new Error(
      output.errors
        .map(({ formattedMessage }: { formattedMessage: string }) => formattedMessage)
        .join('\n'),
    )
  }
  return output.contracts[file][name]
}
