/** A value, or a value and what it is called. */
export type Option = string | readonly [value: string, name: string]

interface ChoiceProps {
  label: string
  options: readonly Option[]
  name?: string
  value?: string | undefined
  onValue?: (value: string) => void
}

/** One of a few values, under its label. */
export function Choice({ label, options, name, value, onValue }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name} value={value} onChange={({ currentTarget }) => onValue?.(currentTarget.value)}>
        <Options of={options} />
      </select>
    </label>
  )
}

/** What may be chosen, within a `select` or a `datalist`. */
export function Options({ of }: { of: readonly Option[] }) {
  return (
    <>
      {of.map((option) => {
        const [value, name] = typeof option === 'string' ? [option, option] : option
        return (
          <option key={value} value={value}>
            {name}
          </option>
        )
      })}
    </>
  )
}
