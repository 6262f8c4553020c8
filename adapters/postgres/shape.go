package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"frontdesk/migrations"
	"frontdesk/projections"
)

// SchemaDifference is an object of the database that is not as this program was built for.
type SchemaDifference struct {
	Kind string // such as "trigger", "right" or "row security", or [Version]
	Name string // such as "events.events_append_only"
	How  string // "missing", "changed" or "added"
}

// Version is the kind of a schema that is newer as a whole.
const Version = "version"

// String returns one line, such as "trigger events.events_append_only: missing".
func (d SchemaDifference) String() string { return d.Kind + " " + d.Name + ": " + d.How }

// MarshalText returns the line of String.
func (d SchemaDifference) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// SchemaDifferences compares the schema of the database with the one that this program was
// built for: tables, columns, constraints, triggers, functions, types, views, policies, owners,
// rights, roles and settings. It ignores indexes and settings that change no result. Months of
// a partitioned table are compared with its default partition. Of a schema that is newer than
// this program it returns only the version. A role of the database that may log in can call it.
func SchemaDifferences(ctx context.Context, db projections.Querier) ([]SchemaDifference, error) {
	versions, _, err := readVersions(ctx, db, migrations.FS)
	if err != nil {
		return nil, err
	}
	if versions.Database > versions.Program {
		return []SchemaDifference{{Kind: Version, Name: strconv.FormatInt(versions.Database, 10), How: fmt.Sprintf("newer than this program's %d", versions.Program)}}, nil
	}
	found, err := readShape(ctx, db)
	if err != nil {
		return nil, err
	}
	return compareShapes(parseShape(migrations.Shape), found), nil
}

// shape is the digest of each object's definition, by its kind and name.
type shape map[[2]string]string

// views are compared only with the major version of Postgres that printed the declared ones:
// others print the same view in other words.
const views = "view"

func readShape(ctx context.Context, db projections.Querier) (shape, error) {
	rows, err := db.Query(ctx, shapeOf, AppRole, AuditRole, SignerRole)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	found := shape{}
	var kind, name, digest string
	_, err = pgx.ForEachRow(rows, []any{&kind, &name, &digest}, func() error {
		key := [2]string{kind, name}
		if known, ok := found[key]; ok && known != digest { // of two partitions
			digest = "different"
		}
		found[key] = digest
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return found, nil
}

// parseShape reads lines of kind, name and digest, separated by tabs.
func parseShape(text string) shape {
	declared := shape{}
	for line := range strings.Lines(text) {
		if cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(cells) == 3 {
			declared[[2]string{cells[0], cells[1]}] = cells[2]
		}
	}
	return declared
}

func (s shape) format() string {
	var lines []string
	for key, digest := range s {
		lines = append(lines, key[0]+"\t"+key[1]+"\t"+digest+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func compareShapes(declared, found shape) (differences []SchemaDifference) {
	version := [2]string{"postgres", "version"}
	sameMajor := declared[version] == found[version]
	add := func(key [2]string, how string) {
		if key != version && (key[0] != views || sameMajor || how != "changed") {
			differences = append(differences, SchemaDifference{key[0], key[1], how})
		}
	}
	for key, digest := range declared {
		switch now, ok := found[key]; {
		case !ok:
			add(key, "missing")
		case now != digest:
			add(key, "changed")
		}
	}
	for key := range found {
		if _, ok := declared[key]; !ok {
			add(key, "added")
		}
	}
	slices.SortFunc(differences, func(a, b SchemaDifference) int { return strings.Compare(a.String(), b.String()) })
	return differences
}

// shapeOf lists every object with the digest of its definition. The owner is called "the
// owner", because operators choose the name. Names are taken from the catalogues as they are,
// because regclass and the like leave out what search_path contains.
const shapeOf = `
WITH the AS (
	SELECT relowner AS owner, 'public'::regnamespace AS schema FROM pg_class WHERE oid = to_regclass('public.events')
), roles AS (
	SELECT oid, CASE oid WHEN (SELECT owner FROM the) THEN 'the owner' ELSE rolname::text END AS name FROM pg_roles
	UNION ALL SELECT 0, 'PUBLIC'
), extended AS (
	SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
), relations AS (
	SELECT c.*, CASE WHEN relname ~ '^(access_record|delivered)_' THEN substring(relname FROM '^(access_record|delivered)') || ' (partition)' ELSE relname::text END AS name
	FROM pg_class c WHERE relnamespace = (SELECT schema FROM the) AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
		AND NOT EXISTS (SELECT FROM extended WHERE classid = 'pg_class'::regclass AND objid = c.oid)
), functions AS (
	SELECT p.*, format('%s(%s)', proname, pg_get_function_identity_arguments(oid)) AS name FROM pg_proc p
	WHERE pronamespace = (SELECT schema FROM the) AND NOT EXISTS (SELECT FROM extended WHERE classid = 'pg_proc'::regclass AND objid = p.oid)
), types AS (
	SELECT t.* FROM pg_type t WHERE typnamespace = (SELECT schema FROM the) AND typtype IN ('d', 'e', 'r')
		AND NOT EXISTS (SELECT FROM extended WHERE classid = 'pg_type'::regclass AND objid = t.oid)
), rights AS (
	SELECT 'on ' || name AS object, relowner AS owner, coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner)) AS acl FROM relations
	UNION ALL
	SELECT format('on %s (%s)', name, attname), relowner, attacl FROM relations JOIN pg_attribute ON attrelid = relations.oid WHERE attacl IS NOT NULL
	UNION ALL
	SELECT 'on function ' || name, proowner, coalesce(proacl, acldefault('f', proowner)) FROM functions
	UNION ALL
	SELECT 'on schema public', nspowner, nspacl FROM pg_namespace WHERE oid = (SELECT schema FROM the)
	UNION ALL
	SELECT 'on type ' || typname, typowner, coalesce(typacl, acldefault('T', typowner)) FROM types
	UNION ALL
	SELECT format('on later objects of kind %s', defaclobjtype), defaclrole, defaclacl FROM pg_default_acl
	WHERE defaclnamespace IN (0, (SELECT schema FROM the)) AND defaclrole = (SELECT owner FROM the)
), ours AS (
	SELECT r.*, n.name FROM pg_roles r JOIN roles n USING (oid) WHERE rolname IN ($1, $2, $3) OR r.oid = (SELECT owner FROM the)
), definitions (kind, name, definition) AS (
	SELECT 'postgres', 'version', (current_setting('server_version_num')::int / 10000)::text
	UNION ALL
	SELECT CASE relkind WHEN 'v' THEN 'view' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' ELSE 'table' END, c.name,
		concat_ws(' ', CASE WHEN c.name LIKE '%(partition)' THEN '' ELSE relkind::text END, relpersistence, o.name, CASE relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END)
	FROM relations c JOIN roles o ON o.oid = relowner
	UNION ALL
	SELECT 'row security', c.name, '' FROM relations c WHERE relrowsecurity OR relforcerowsecurity
	UNION ALL
	SELECT 'policy', format('%s.%s', c.name, polname), concat_ws(' ', polcmd, polroles::text, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
	FROM pg_policy JOIN relations c ON c.oid = polrelid
	UNION ALL
	SELECT 'inheritance', format('%s of %s', coalesce(c.name, inhrelid::text), p.name), '' FROM pg_inherits JOIN relations p ON p.oid = inhparent LEFT JOIN relations c ON c.oid = inhrelid
	WHERE p.relkind <> 'p'
	UNION ALL
	SELECT 'column', format('%s.%s', c.name, attname), concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END, attidentity, attgenerated, pg_get_expr(adbin, adrelid),
		CASE WHEN attcollation <> (SELECT typcollation FROM pg_type WHERE pg_type.oid = atttypid) THEN attcollation::text END)
	FROM relations c JOIN pg_attribute a ON attrelid = c.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
	WHERE attnum > 0 AND NOT attisdropped AND relkind <> 'S'
	UNION ALL
	SELECT 'sequence', c.name || ' counts', concat_ws(' ', seqtypid::text, seqincrement, seqmin, seqcache, seqcycle) FROM pg_sequence JOIN relations c ON c.oid = seqrelid
	UNION ALL
	SELECT 'constraint', format('%s.%s', c.name, conname), pg_get_constraintdef(k.oid) || CASE WHEN convalidated THEN '' ELSE ' not valid' END
	FROM pg_constraint k JOIN relations c ON c.oid = conrelid WHERE contype IN ('c', 'f', 'p', 'u', 'x') AND c.name NOT LIKE '%(partition)'
	UNION ALL
	SELECT 'constraint', format('%s.%s', typname, conname), pg_get_constraintdef(k.oid) FROM pg_constraint k JOIN types ON types.oid = contypid
	UNION ALL
	SELECT 'trigger', format('%s.%s', c.name, tgname), concat_ws(' ', tgenabled, tgtype, tgattr::text, p.proname, encode(tgargs, 'hex'), tgoldtable, tgnewtable, substring(pg_get_triggerdef(t.oid) FROM ' WHEN .* EXECUTE '))
	FROM pg_trigger t JOIN relations c ON c.oid = tgrelid JOIN pg_proc p ON p.oid = tgfoid WHERE NOT tgisinternal
	UNION ALL
	SELECT 'trigger', format('%s.%s of a partition that lacks it', c.relname, tgname), ''
	FROM relations c JOIN relations d ON d.name = c.name AND d.relname LIKE '%\_default' JOIN pg_trigger t ON t.tgrelid = d.oid AND NOT t.tgisinternal
	WHERE c.name LIKE '%(partition)' AND c.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_trigger own WHERE own.tgrelid = c.oid AND own.tgname = t.tgname)
	UNION ALL
	SELECT 'trigger', format('of a foreign key of %s', c.name), tgenabled::text FROM pg_trigger t JOIN relations c ON c.oid = tgrelid WHERE tgisinternal AND tgenabled <> 'O'
	UNION ALL
	SELECT 'rule', format('%s.%s', c.name, rulename), ev_enabled::text || pg_get_ruledef(r.oid) FROM pg_rewrite r JOIN relations c ON c.oid = ev_class WHERE rulename <> '_RETURN'
	UNION ALL
	SELECT 'event trigger', evtname::text, evtenabled::text FROM pg_event_trigger WHERE evtenabled <> 'D'
	UNION ALL
	SELECT 'function', p.name, concat_ws(' ', o.name, lanname, prokind, prosecdef, proleakproof, proisstrict, proretset, provolatile, proparallel, pg_get_function_result(p.oid), proconfig::text, prosrc, probin)
	FROM functions p JOIN roles o ON o.oid = proowner JOIN pg_language l ON l.oid = prolang
	UNION ALL
	SELECT 'type', typname::text, concat_ws(' ', o.name, typtype, format_type(typbasetype, typtypmod), typnotnull, typdefault) FROM types JOIN roles o ON o.oid = typowner
	UNION ALL
	SELECT 'operator', format('%s (%s, %s)', oprname, oprleft::regtype, oprright::regtype), '' FROM pg_operator x
	WHERE oprnamespace = (SELECT schema FROM the) AND NOT EXISTS (SELECT FROM extended WHERE classid = 'pg_operator'::regclass AND objid = x.oid)
	UNION ALL
	SELECT 'cast', format('from %s to %s', castsource::regtype, casttarget::regtype), '' FROM pg_cast x
	WHERE oid >= 16384 AND NOT EXISTS (SELECT FROM extended WHERE classid = 'pg_cast'::regclass AND objid = x.oid)
	UNION ALL
	SELECT 'right', format('%s %s to %s', privilege_type, object, g.name), CASE WHEN is_grantable THEN 'and to grant it' ELSE '' END
	FROM rights CROSS JOIN LATERAL aclexplode(acl) e JOIN roles g ON g.oid = grantee
	WHERE grantee <> owner AND grantee <> (SELECT owner FROM the) AND NOT (object LIKE 'on schema%' AND privilege_type = 'USAGE' AND grantee = 0)
	UNION ALL
	SELECT 'role', name, concat_ws(' ', rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls) FROM ours
	UNION ALL
	SELECT 'membership', format('%s in %s', m.name, r.name), '' FROM pg_auth_members JOIN ours m ON m.oid = member JOIN roles r ON r.oid = roleid
	WHERE NOT (m.name = 'the owner' AND r.name = 'pg_read_all_stats')
	UNION ALL
	SELECT 'setting', format('%s of %s', split_part(setting, '=', 1), CASE WHEN setrole = 0 THEN 'the database' ELSE r.name END), setting
	FROM pg_db_role_setting JOIN roles r ON r.oid = setrole CROSS JOIN LATERAL unnest(setconfig) AS setting
	WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
		AND (setrole = 0 OR setrole IN (SELECT oid FROM ours) OR r.name = session_user)
		AND split_part(setting, '=', 1) !~ '^(log_.*|track_.*|auto_explain\..*|pg_stat_statements\..*|.*_timeout|.*_mem|tcp_.*|jit|application_name|client_min_messages|lc_messages|temp_file_limit)$'
)
SELECT DISTINCT kind, name, left(encode(sha256(convert_to(definition, 'UTF8')), 'hex'), 16) FROM definitions`
