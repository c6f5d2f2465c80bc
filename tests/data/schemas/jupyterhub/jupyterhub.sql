CREATE TABLE servers (
	id INTEGER NOT NULL, 
	proto VARCHAR(15), 
	ip VARCHAR(255), 
	port INTEGER, 
	base_url VARCHAR(255), 
	cookie_name VARCHAR(255), 
	CONSTRAINT pk_servers PRIMARY KEY (id)
);
CREATE TABLE roles (
	id INTEGER NOT NULL, 
	name VARCHAR(255), 
	description VARCHAR(1023), 
	scopes TEXT, 
	managed_by_auth BOOLEAN NOT NULL, 
	CONSTRAINT pk_roles PRIMARY KEY (id), 
	CONSTRAINT uq_roles_name UNIQUE (name)
);
CREATE TABLE groups (
	id INTEGER NOT NULL, 
	name VARCHAR(255), 
	properties TEXT, 
	CONSTRAINT pk_groups PRIMARY KEY (id), 
	CONSTRAINT uq_groups_name UNIQUE (name)
);
CREATE TABLE users (
	id INTEGER NOT NULL, 
	name VARCHAR(255), 
	user_info TEXT, 
	admin BOOLEAN, 
	created DATETIME, 
	last_activity DATETIME, 
	cookie_id VARCHAR(255) NOT NULL, 
	state TEXT, 
	encrypted_auth_state BLOB, 
	CONSTRAINT pk_users PRIMARY KEY (id), 
	CONSTRAINT uq_users_name UNIQUE (name), 
	CONSTRAINT uq_users_cookie_id UNIQUE (cookie_id)
);
CREATE TABLE oauth_clients (
	id INTEGER NOT NULL, 
	identifier VARCHAR(255), 
	description VARCHAR(1023), 
	secret VARCHAR(255), 
	redirect_uri VARCHAR(1023), 
	allowed_scopes TEXT, 
	CONSTRAINT pk_oauth_clients PRIMARY KEY (id), 
	CONSTRAINT uq_oauth_clients_identifier UNIQUE (identifier)
);
CREATE TABLE user_role_map (
	user_id INTEGER NOT NULL, 
	role_id INTEGER NOT NULL, 
	managed_by_auth BOOLEAN NOT NULL, 
	CONSTRAINT pk_user_role_map PRIMARY KEY (user_id, role_id), 
	CONSTRAINT fk_user_role_map_user_id_users FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_user_role_map_role_id_roles FOREIGN KEY(role_id) REFERENCES roles (id) ON DELETE CASCADE
);
CREATE TABLE group_role_map (
	group_id INTEGER NOT NULL, 
	role_id INTEGER NOT NULL, 
	managed_by_auth BOOLEAN NOT NULL, 
	CONSTRAINT pk_group_role_map PRIMARY KEY (group_id, role_id), 
	CONSTRAINT fk_group_role_map_group_id_groups FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE, 
	CONSTRAINT fk_group_role_map_role_id_roles FOREIGN KEY(role_id) REFERENCES roles (id) ON DELETE CASCADE
);
CREATE TABLE user_group_map (
	user_id INTEGER NOT NULL, 
	group_id INTEGER NOT NULL, 
	CONSTRAINT pk_user_group_map PRIMARY KEY (user_id, group_id), 
	CONSTRAINT fk_user_group_map_user_id_users FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_user_group_map_group_id_groups FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);
CREATE TABLE spawners (
	id INTEGER NOT NULL, 
	user_id INTEGER, 
	server_id INTEGER, 
	state TEXT, 
	name VARCHAR(255), 
	display_name VARCHAR(255), 
	started DATETIME, 
	last_activity DATETIME, 
	user_options TEXT, 
	oauth_client_id VARCHAR(255), 
	CONSTRAINT pk_spawners PRIMARY KEY (id), 
	CONSTRAINT fk_spawners_user_id_users FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_spawners_server_id_servers FOREIGN KEY(server_id) REFERENCES servers (id) ON DELETE SET NULL, 
	CONSTRAINT fk_spawners_oauth_client_id_oauth_clients FOREIGN KEY(oauth_client_id) REFERENCES oauth_clients (identifier) ON DELETE SET NULL
);
CREATE TABLE services (
	id INTEGER NOT NULL, 
	name VARCHAR(255), 
	admin BOOLEAN, 
	url VARCHAR(2047), 
	oauth_client_allowed_scopes TEXT, 
	info TEXT, 
	display BOOLEAN, 
	oauth_no_confirm BOOLEAN, 
	command TEXT, 
	cwd VARCHAR(4095), 
	environment TEXT, 
	user VARCHAR(255), 
	timeout INTEGER NOT NULL, 
	from_config BOOLEAN, 
	_server_id INTEGER, 
	pid INTEGER, 
	oauth_client_id VARCHAR(255), 
	CONSTRAINT pk_services PRIMARY KEY (id), 
	CONSTRAINT uq_services_name UNIQUE (name), 
	CONSTRAINT fk_services__server_id_servers FOREIGN KEY(_server_id) REFERENCES servers (id) ON DELETE SET NULL, 
	CONSTRAINT fk_services_oauth_client_id_oauth_clients FOREIGN KEY(oauth_client_id) REFERENCES oauth_clients (identifier) ON DELETE SET NULL
);
CREATE TABLE oauth_codes (
	id INTEGER NOT NULL, 
	client_id VARCHAR(255), 
	code VARCHAR(36), 
	expires_at INTEGER, 
	redirect_uri VARCHAR(1023), 
	session_id VARCHAR(255), 
	user_id INTEGER, 
	scopes TEXT, 
	code_challenge VARCHAR(255), 
	code_challenge_method VARCHAR(64), 
	CONSTRAINT pk_oauth_codes PRIMARY KEY (id), 
	CONSTRAINT fk_oauth_codes_client_id_oauth_clients FOREIGN KEY(client_id) REFERENCES oauth_clients (identifier) ON DELETE CASCADE, 
	CONSTRAINT fk_oauth_codes_user_id_users FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE TABLE service_role_map (
	service_id INTEGER NOT NULL, 
	role_id INTEGER NOT NULL, 
	managed_by_auth BOOLEAN NOT NULL, 
	CONSTRAINT pk_service_role_map PRIMARY KEY (service_id, role_id), 
	CONSTRAINT fk_service_role_map_service_id_services FOREIGN KEY(service_id) REFERENCES services (id) ON DELETE CASCADE, 
	CONSTRAINT fk_service_role_map_role_id_roles FOREIGN KEY(role_id) REFERENCES roles (id) ON DELETE CASCADE
);
CREATE TABLE shares (
	user_id INTEGER, 
	group_id INTEGER, 
	id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	scopes TEXT, 
	expires_at DATETIME, 
	owner_id INTEGER, 
	spawner_id INTEGER, 
	CONSTRAINT pk_shares PRIMARY KEY (id), 
	CONSTRAINT fk_shares_user_id_users FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_shares_group_id_groups FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE, 
	CONSTRAINT fk_shares_owner_id_users FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_shares_spawner_id_spawners FOREIGN KEY(spawner_id) REFERENCES spawners (id) ON DELETE CASCADE
);
CREATE TABLE share_codes (
	hashed VARCHAR(255), 
	prefix VARCHAR(16), 
	exchange_count INTEGER, 
	last_exchanged_at DATETIME, 
	id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	scopes TEXT, 
	expires_at DATETIME, 
	owner_id INTEGER, 
	spawner_id INTEGER, 
	CONSTRAINT pk_share_codes PRIMARY KEY (id), 
	CONSTRAINT uq_share_codes_hashed UNIQUE (hashed), 
	CONSTRAINT fk_share_codes_owner_id_users FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_share_codes_spawner_id_spawners FOREIGN KEY(spawner_id) REFERENCES spawners (id) ON DELETE CASCADE
);
CREATE INDEX ix_share_codes_prefix ON share_codes (prefix);
CREATE TABLE api_tokens (
	user_id INTEGER, 
	service_id INTEGER, 
	id INTEGER NOT NULL, 
	hashed VARCHAR(255), 
	prefix VARCHAR(16), 
	client_id VARCHAR(255), 
	session_id VARCHAR(255), 
	created DATETIME, 
	expires_at DATETIME, 
	last_activity DATETIME, 
	note VARCHAR(1023), 
	scopes TEXT, 
	CONSTRAINT pk_api_tokens PRIMARY KEY (id), 
	CONSTRAINT fk_api_tokens_user_id_users FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE, 
	CONSTRAINT fk_api_tokens_service_id_services FOREIGN KEY(service_id) REFERENCES services (id) ON DELETE CASCADE, 
	CONSTRAINT uq_api_tokens_hashed UNIQUE (hashed), 
	CONSTRAINT fk_api_tokens_client_id_oauth_clients FOREIGN KEY(client_id) REFERENCES oauth_clients (identifier) ON DELETE CASCADE
);
CREATE INDEX ix_api_tokens_prefix ON api_tokens (prefix);
