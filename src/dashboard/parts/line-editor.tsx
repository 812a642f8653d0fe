import { useRef } from 'react'
import { untaxed } from '../../documents/pdf/items.ts'
import { taxCategories } from '../../domain/invoices/lines.ts'
import { money, taxText } from '../format.ts'
import type { Priced, Rates } from '../invoice-form.ts'
import { Area, Choice, Field } from './fields.tsx'
import { Fact } from './parts.tsx'

/** Those that most invoices need; programs may send any of UN/ECE Recommendation 20. */
const units = {
  C62: 'pieces',
  HUR: 'hours',
  DAY: 'days',
  WEE: 'weeks',
  MON: 'months',
  KGM: 'kilograms',
  LTR: 'litres',
  MTR: 'metres',
  MTK: 'square metres',
  KWH: 'kilowatt hours',
}

type Shared = {
  readonly isFlat: boolean
  readonly typed: FormData
  readonly priced: Priced
  readonly rates: Rates | undefined
}

type Props = Shared & {
  /** One for each line; they are never used again. */
  readonly ids: readonly number[]
  onIds(ids: readonly number[]): void
}

/** The lines of an invoice, what each comes to, and all of them. */
export function LineEditor({ ids, onIds, ...shared }: Props) {
  const adding = useRef<HTMLButtonElement>(null)
  function remove(id: number) {
    onIds(ids.filter((one) => one !== id))
    adding.current?.focus()
  }
  return (
    <>
      {ids.map((id, at) => (
        <LineFields
          key={id}
          at={at}
          isNew={id > 0}
          onRemove={ids.length > 1 ? () => remove(id) : null}
          {...shared}
        />
      ))}
      <p className="actions">
        <button type="button" ref={adding} onClick={() => onIds([...ids, Math.max(...ids) + 1])}>
          Add a line
        </button>
      </p>
      <Sums {...shared} />
    </>
  )
}

type LineProps = Shared & { at: number; isNew: boolean; onRemove: (() => void) | null }

function LineFields({ at, isNew, onRemove, isFlat, typed, priced, rates }: LineProps) {
  const path = `lines/${at}`
  return (
    <fieldset className="item">
      <legend className={onRemove ? '' : 'unseen'}>Line {at + 1}</legend>
      <Area
        label="Description"
        name={isFlat ? 'description' : `${path}/description`}
        rows={1}
        maxLength={4_000}
        required={!isFlat}
        autoFocus={isNew}
      />
      <Field
        label="Quantity"
        name={`${path}/quantity`}
        inputMode="decimal"
        defaultValue="1"
        required
      />
      <Choice label="Unit" name={`${path}/unit`}>
        {Object.entries(units).map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </Choice>
      <Field
        label={isFlat ? 'Amount, before tax' : 'Unit price, net'}
        name={isFlat ? 'amount' : `${path}/unitPrice`}
        inputMode="decimal"
        placeholder="1250.00"
        required
      />
      <CategoryChoice name={`${path}/taxCategory`} rates={rates} />
      {onRemove && (
        <output aria-label={`Net of line ${at + 1}`}>
          {money(priced.lines[at]?.netUnits ?? 0n, priced.currency)}
        </output>
      )}
      {typed.get(`${path}/taxCategory`) === 'exempt' && (
        <Field
          label="Why it is exempt"
          name={`${path}/taxExemptionReason`}
          hint="A text, or a VATEX code"
          placeholder="VATEX-EU-132-1I"
          maxLength={1_000}
          required
        />
      )}
      {onRemove && (
        <button type="button" aria-label={`Remove line ${at + 1}`} onClick={onRemove}>
          Remove
        </button>
      )}
    </fieldset>
  )
}

/** Only a country of tax has rates. */
function CategoryChoice({ name, rates }: { name: string; rates: Rates | undefined }) {
  const others = taxCategories.filter((category) => untaxed[category])
  return (
    <Choice label="VAT" name={name}>
      <option value="">{rates ? `${rates.standard} %, standard` : 'No VAT'}</option>
      {rates && rates.reduced > 0 && <option value="reduced">{rates.reduced} %, reduced</option>}
      <option value="zero">0 %, zero rate</option>
      {others.map((category) => (
        <option key={category} value={category} hidden={!rates && category === 'outside_scope'}>
          {taxText(category, 0)}
        </option>
      ))}
    </Choice>
  )
}

function Sums({ priced }: Shared) {
  const { currency, netUnits, shares, totalUnits } = priced
  const isTaxed = totalUnits > netUnits || shares.length > 1
  return (
    <dl className="sums">
      {isTaxed && <Fact name="Net">{money(netUnits, currency)}</Fact>}
      {(isTaxed ? shares : []).map(({ category, rateBasisPoints, baseUnits, taxUnits }) => (
        <Fact
          key={`${category} ${rateBasisPoints}`}
          name={`${taxText(category, rateBasisPoints / 100)} on ${money(baseUnits, currency)}`}
        >
          {money(taxUnits, currency)}
        </Fact>
      ))}
      <Fact name="Total">
        <strong>{money(totalUnits, currency)}</strong>
      </Fact>
    </dl>
  )
}
