// `pgpass` is called directly because the driver's own use is deprecated and prints a warning.
declare module "pgpass" {
  interface Login {
    readonly host: string;
    readonly port: number;
    readonly database: string;
    readonly user: string;
  }
  /**
   * Calls back with the password of the first matching line; undefined if no line matches, or if other users may read the
   * file.
   */
  export default function pgpass(login: Login, callback: (password: string | undefined) => void): void;
}
