import * as fs from 'node:fs/promises'

/** Atomic: a reader sees the whole text or none of it. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await fs.writeFile(`${file}.new`, text, { mode: 0o600 })
  await fs.rename(`${file}.new`, file)
}

/** Empty when there is no such file. */
export async function textOf(file: string): Promise<string> {
  try {
    return await fs.readFile(file, 'utf8')
  } catch (error) {
    // ESRCH: the process ended while its file in /proc was being read.
    if (['ENOENT', 'ESRCH'].includes((error as { code?: string }).code ?? '')) return ''
    throw error
  }
}

export async function exists(path: string): Promise<boolean> {
  return (await fs.lstat(path).catch(() => null)) !== null
}
