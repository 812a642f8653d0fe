import { useRef, useState } from 'react'
import { mostLogoBytes } from '../../domain/accounts/profile.ts'
import { call } from '../api.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { CountryChoice } from '../parts/choices.tsx'
import { Area, Field, Form } from '../parts/fields.tsx'
import { Page, Show } from '../parts/parts.tsx'

type Texts = Readonly<
  Record<'name' | 'address' | 'country' | 'vat' | 'email' | 'website', string | null>
>
export type Profile = Texts & { readonly logo: string | null }

const path = '/api/account/profile'
const texts = ['name', 'address', 'country', 'vat', 'email', 'website'] as const

export function ProfilePage() {
  const found = useLoaded<Profile>(path)
  const [isSaved, setSaved] = useState(false)
  return (
    <Page title="Profile">
      <p className="quiet">
        Your customers read this on payment pages, invoices and receipts. New invoices have it as
        their seller; invoices keep the seller they were created with.
      </p>
      <Show from={found}>
        {(profile) => (
          <Edit
            key={JSON.stringify(profile)}
            profile={profile}
            onInput={() => setSaved(false)}
            onSaved={() => {
              setSaved(true)
              found.reload()
            }}
          />
        )}
      </Show>
      <p role="status">{isSaved && 'Saved. New invoices use it within 5 seconds.'}</p>
    </Page>
  )
}

type EditProps = { profile: Profile; onInput: () => void; onSaved: () => void }

function Edit({ profile, onInput, onSaved }: EditProps) {
  const [logo, setLogo] = useState(profile.logo)
  async function save(fields: FormData) {
    const changed = texts.map((name) => [name, `${fields.get(name) ?? ''}`.trim() || null])
    const sent = logo === profile.logo ? {} : { logo }
    await call('PUT', path, { ...Object.fromEntries(changed), ...sent })
    onSaved()
  }
  return (
    <Form title="Who sells" button="Save" onSubmit={save} onInput={onInput}>
      <Field label="Name" name="name" maxLength={256} defaultValue={profile.name ?? ''} />
      <Area label="Address" name="address" maxLength={500} defaultValue={profile.address ?? ''} />
      <CountryChoice label="Country" name="country" chosen={profile.country} />
      <Field label="VAT id" name="vat" maxLength={64} defaultValue={profile.vat ?? ''} />
      <Field label="E-mail" name="email" type="email" defaultValue={profile.email ?? ''} />
      <Field
        label="Website"
        name="website"
        type="url"
        pattern="https?://.*"
        maxLength={256}
        placeholder="https://example.com"
        defaultValue={profile.website ?? ''}
      />
      <Logo shown={logo} onChange={setLogo} />
    </Form>
  )
}

const accepted = ['image/png', 'image/svg+xml']

type LogoProps = { shown: string | null; onChange: (logo: string | null) => void }

function Logo({ shown, onChange }: LogoProps) {
  const saved = useRef(shown)
  const input = useRef<HTMLInputElement>(null)
  const [wrong, setWrong] = useState<string>()
  async function pick(file: File | undefined) {
    setWrong(undefined)
    if (!file) return
    const isAccepted = accepted.includes(file.type) && file.size <= mostLogoBytes
    if (isAccepted) onChange(await dataUrlOf(file))
    else forget('Choose a PNG or SVG of at most 64 KiB.')
  }
  /** The form hears of it as of any input. */
  function forget(why?: string) {
    if (input.current) input.current.value = ''
    input.current?.dispatchEvent(new Event('input', { bubbles: true }))
    setWrong(why)
  }
  return (
    <>
      <Field
        label="Logo"
        name="logo"
        type="file"
        ref={input}
        accept={accepted.join()}
        wrong={wrong}
        hint="PNG or SVG, at most 64 KiB; texts in an SVG as paths"
        onChange={(event) => pick(event.currentTarget.files?.[0])}
      />
      {shown && (
        <p className="actions">
          <img
            className="logo"
            src={shown}
            alt="Your logo"
            onError={() => {
              onChange(saved.current)
              forget('This file cannot be shown as a picture.')
            }}
          />
          <button
            type="button"
            onClick={() => {
              onChange(null)
              forget()
            }}
          >
            Remove logo
          </button>
        </p>
      )}
    </>
  )
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(`${reader.result}`))
    reader.addEventListener('error', () => reject(reader.error))
    reader.readAsDataURL(file)
  })
}
