// Types of `pgpass`, the reader of ~/.pgpass. It is called directly because the driver's own use is deprecated and prints a
// warning.
declare module "pgpass" {
  interface Login {
    readonly host: string;
    readonly port: number;
    readonly database: string;
    readonly user: string;
  }
  /** Hands over the password of the first line that fits; undefined where there is none, or no file of the user's alone. */
  export default function pgpass(login: Login, callback: (password: string | undefined) => void): void;
}
