/**
 * Runs the official rules on the documents of `matrix.ts`: `npm run rules -- FOLDER`. No package of
 * npm or Debian has the rules, so the folder is filled by hand with any of the files below. CI does
 * not run this; it has `xml/rules.test.ts`.
 *
 * - `EN16931-UBL-validation.xslt` and `EN16931-CII-validation.xslt` are in the releases of
 *   https://github.com/ConnectingEurope/eInvoicing-EN16931 (EUPL 1.2), as `en16931-ubl-1.3.16.zip`
 *   and `en16931-cii-1.3.16.zip`.
 * - `PEPPOL-EN16931-UBL.xslt` is made of `rules/sch/PEPPOL-EN16931-UBL.sch` in the releases of
 *   https://github.com/OpenPEPPOL/peppol-bis-invoice-3, by `pipeline-for-svrl.xsl` of SchXslt
 *   (https://github.com/schxslt/schxslt).
 *
 * Saxon runs them: `apt-get install libsaxonhe-java default-jre-headless`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type File, files } from './matrix.ts'

const saxon = '/usr/share/java/Saxon-HE.jar'

const sets: readonly { readonly file: string; readonly of: readonly File['syntax'][] }[] = [
  { file: 'EN16931-UBL-validation.xslt', of: ['UBL', 'Peppol'] },
  { file: 'EN16931-CII-validation.xslt', of: ['CII'] },
  { file: 'PEPPOL-EN16931-UBL.xslt', of: ['Peppol'] },
]

const folder = resolve(process.argv[2] ?? '.')
const found = sets.filter(({ file }) => existsSync(join(folder, file)))
if (found.length === 0) stop(`${folder} has none of ${sets.map(({ file }) => file).join(', ')}.`)
if (!existsSync(saxon)) stop(`${saxon} is missing: apt-get install libsaxonhe-java.`)

const broken = found.map(({ file, of }) => {
  const chosen = files.filter(({ syntax }) => of.includes(syntax))
  const faults = faultsOf(join(folder, file), chosen)
  const summary = `${file}: ${chosen.length} documents, ${faults.length} rules broken`
  process.stdout.write(`${[summary, ...faults].join('\n  ')}\n`)
  return faults.filter((fault) => !fault.includes('(warning)')).length
})
process.exit(broken.some((count) => count > 0) ? 1 : 0)

/** A line for each failed assertion. One process compiles the rules once for all documents. */
function faultsOf(rules: string, documents: readonly File[]): readonly string[] {
  const place = mkdtempSync(join(tmpdir(), 'rules-'))
  const [from, to] = [mkdtempSync(join(place, 'from-')), mkdtempSync(join(place, 'to-'))]
  for (const { name, syntax, xml } of documents)
    writeFileSync(join(from, `${name}-${syntax}.xml`), xml)
  const command = ['java', '-cp', saxon, 'net.sf.saxon.Transform']
  const ran = Bun.spawnSync([...command, `-s:${from}`, `-o:${to}`, `-xsl:${rules}`])
  if (!ran.success) stop(ran.stderr.toString())
  const reports = readdirSync(to)
  if (reports.length !== documents.length) stop(`${reports.length} reports: ${ran.stderr}`)
  const faults = reports.flatMap((name) => failedIn(name, readFileSync(join(to, name), 'utf8')))
  rmSync(place, { recursive: true })
  return faults
}

function failedIn(name: string, svrl: string): readonly string[] {
  const failed = svrl.matchAll(
    /<svrl:failed-assert([^>]*)>[\s\S]*?<svrl:text>([\s\S]*?)<\/svrl:text>/g,
  )
  return Array.from(failed, ([, attributes = '', text = '']) => {
    const member = (key: string) => new RegExp(` ${key}="([^"]*)"`).exec(attributes)?.[1]
    return `${name}: ${member('id')} (${member('flag')}) ${text.replace(/\s+/g, ' ').trim()}`
  })
}

function stop(why: string): never {
  process.stderr.write(`${why}\n`)
  process.exit(2)
}
