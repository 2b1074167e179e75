import type { ComponentChildren } from 'preact'

export interface FieldProps {
  label: string
  /** What was wrong with what was entered. */
  fault?: string | undefined
  note?: string
  children: ComponentChildren
}

/** A field with its name, and what was wrong with it right below. */
export function Field({ label, fault, note, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is what is put in
    <label>
      {label}
      {children}
      {note !== undefined && <span class="tiny">{note}</span>}
      {fault !== undefined && (
        <span class="error-text" role="alert">
          {fault}
        </span>
      )}
    </label>
  )
}
