import { array, type Fragment, type Sql } from './db.ts'

/** The values of each PostgreSQL type, besides null. */
type Values = {
  readonly uuid: string
  readonly text: string
  readonly integer: number
  readonly smallint: number
  readonly bigint: bigint | number
  readonly numeric: bigint | string
  readonly boolean: boolean
  /** As text in ISO 8601, or as PostgreSQL writes it. */
  readonly timestamptz: string | Date
  readonly bytea: Uint8Array
  /** A column of type `text` that holds JSON or any other text without control characters. */
  readonly 'json text': string
}

type Value = Values[keyof Values]

/** A column of a batch: its type, and its value in the row for an item. */
type Column<Item> = {
  [Type in keyof Values]: readonly [Type, (item: Item, at: number) => Values[Type] | null]
}[keyof Values]

export type Columns<Item> = Readonly<Record<string, Column<Item>>>

/**
 * One row for each item, named `name`, for the `from` clause of a statement that writes them all:
 *
 *     insert into notes (id, body)
 *     select * from ${rowsOf(sql, notes, { id: ['uuid', (note) => note.id], body: ['text', …] })}
 *
 * Names and types of columns are constants of the program and not escaped.
 */
export function rowsOf<Item>(
  sql: Sql,
  items: readonly Item[],
  columns: Columns<Item>,
  name = 'input',
): Fragment {
  const values: string[] = []
  const texts: string[] = []
  let text = 'unnest('
  for (const [type, read] of Object.values(columns)) {
    const column = items.map<Value | null>(read)
    const isJson = type === 'json text'
    values.push(isJson ? column.join(separator) : array(column))
    texts.push(text + (isJson ? 'string_to_array(' : ''))
    text = `${isJson ? ", chr(30), '')" : `::${type}[]`}, `
  }
  texts.push(`${text.slice(0, -2)}) as ${name} (${Object.keys(columns).join(', ')})`)
  return sql(templateOf(texts), ...values)
}

/**
 * An array literal would have to escape each quote of a JSON text. JSON never holds control
 * characters, so its texts are sent as one with this separator.
 */
const separator = '\u001e'

/** The same object for the same texts: postgres.js remembers each for ever. */
function templateOf(texts: readonly string[]): TemplateStringsArray {
  const key = texts.join('?')
  const known = templates.get(key)
  if (known) return known
  const template = Object.assign([...texts], { raw: texts })
  templates.set(key, template)
  return template
}

const templates = new Map<string, TemplateStringsArray>()
