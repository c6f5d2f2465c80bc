-- Order handling of a trading company, as the ports of that sample database to SQLite have it. Written from its structure.

CREATE TABLE [Categories] (
    [CategoryID] INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    [CategoryName] TEXT NOT NULL,
    [Description] TEXT NULL,
    [Picture] BLOB NULL
);

CREATE TABLE [CustomerDemographics] (
    [CustomerTypeID] TEXT NOT NULL,
    [CustomerDesc] TEXT NULL,
    CONSTRAINT [PK_CustomerDemographics] PRIMARY KEY ([CustomerTypeID])
);

CREATE TABLE [Customers] (
    [CustomerID] TEXT NOT NULL,
    [CompanyName] TEXT NOT NULL,
    [ContactName] TEXT NULL,
    [ContactTitle] TEXT NULL,
    [Address] TEXT NULL,
    [City] TEXT NULL,
    [Region] TEXT NULL,
    [PostalCode] TEXT NULL,
    [Country] TEXT NULL,
    [Phone] TEXT NULL,
    [Fax] TEXT NULL,
    CONSTRAINT [PK_Customers] PRIMARY KEY ([CustomerID])
);
CREATE INDEX [CompanyName] ON [Customers] ([CompanyName]);

CREATE TABLE [CustomerCustomerDemo] (
    [CustomerID] TEXT NOT NULL,
    [CustomerTypeID] TEXT NOT NULL,
    CONSTRAINT [PK_CustomerCustomerDemo] PRIMARY KEY ([CustomerID], [CustomerTypeID]),
    CONSTRAINT [FK_CustomerCustomerDemo] FOREIGN KEY ([CustomerTypeID])
        REFERENCES [CustomerDemographics] ([CustomerTypeID]),
    CONSTRAINT [FK_CustomerCustomerDemo_Customers] FOREIGN KEY ([CustomerID]) REFERENCES [Customers] ([CustomerID])
);

CREATE TABLE [Employees] (
    [EmployeeID] INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    [LastName] TEXT NOT NULL,
    [FirstName] TEXT NOT NULL,
    [Title] TEXT NULL,
    [TitleOfCourtesy] TEXT NULL,
    [BirthDate] DATETIME NULL,
    [HireDate] DATETIME NULL,
    [Address] TEXT NULL,
    [City] TEXT NULL,
    [Region] TEXT NULL,
    [PostalCode] TEXT NULL,
    [Country] TEXT NULL,
    [HomePhone] TEXT NULL,
    [Extension] TEXT NULL,
    [Photo] BLOB NULL,
    [Notes] TEXT NULL,
    [ReportsTo] INTEGER NULL,
    [PhotoPath] TEXT NULL,
    CONSTRAINT [FK_Employees_Employees] FOREIGN KEY ([ReportsTo]) REFERENCES [Employees] ([EmployeeID])
);

CREATE TABLE [Region] (
    [RegionID] INTEGER NOT NULL,
    [RegionDescription] TEXT NOT NULL,
    CONSTRAINT [PK_Region] PRIMARY KEY ([RegionID])
);

CREATE TABLE [Territories] (
    [TerritoryID] TEXT NOT NULL,
    [TerritoryDescription] TEXT NOT NULL,
    [RegionID] INTEGER NOT NULL,
    CONSTRAINT [PK_Territories] PRIMARY KEY ([TerritoryID]),
    CONSTRAINT [FK_Territories_Region] FOREIGN KEY ([RegionID]) REFERENCES [Region] ([RegionID])
);

CREATE TABLE [EmployeeTerritories] (
    [EmployeeID] INTEGER NOT NULL,
    [TerritoryID] TEXT NOT NULL,
    CONSTRAINT [PK_EmployeeTerritories] PRIMARY KEY ([EmployeeID], [TerritoryID]),
    CONSTRAINT [FK_EmployeeTerritories_Employees] FOREIGN KEY ([EmployeeID]) REFERENCES [Employees] ([EmployeeID]),
    CONSTRAINT [FK_EmployeeTerritories_Territories] FOREIGN KEY ([TerritoryID])
        REFERENCES [Territories] ([TerritoryID])
);

CREATE TABLE [Shippers] (
    [ShipperID] INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    [CompanyName] TEXT NOT NULL,
    [Phone] TEXT NULL
);

CREATE TABLE [Suppliers] (
    [SupplierID] INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    [CompanyName] TEXT NOT NULL,
    [ContactName] TEXT NULL,
    [ContactTitle] TEXT NULL,
    [Address] TEXT NULL,
    [City] TEXT NULL,
    [Region] TEXT NULL,
    [PostalCode] TEXT NULL,
    [Country] TEXT NULL,
    [Phone] TEXT NULL,
    [Fax] TEXT NULL,
    [HomePage] TEXT NULL
);

CREATE TABLE [Products] (
    [ProductID] INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    [ProductName] TEXT NOT NULL,
    [SupplierID] INTEGER NULL,
    [CategoryID] INTEGER NULL,
    [QuantityPerUnit] TEXT NULL,
    [UnitPrice] NUMERIC NULL DEFAULT 0,
    [UnitsInStock] INTEGER NULL DEFAULT 0,
    [UnitsOnOrder] INTEGER NULL DEFAULT 0,
    [ReorderLevel] INTEGER NULL DEFAULT 0,
    [Discontinued] TEXT NOT NULL DEFAULT '0',
    CONSTRAINT [FK_Products_Categories] FOREIGN KEY ([CategoryID]) REFERENCES [Categories] ([CategoryID]),
    CONSTRAINT [FK_Products_Suppliers] FOREIGN KEY ([SupplierID]) REFERENCES [Suppliers] ([SupplierID]),
    CONSTRAINT [CK_Products_UnitPrice] CHECK ([UnitPrice] >= 0),
    CONSTRAINT [CK_ReorderLevel] CHECK ([ReorderLevel] >= 0),
    CONSTRAINT [CK_UnitsInStock] CHECK ([UnitsInStock] >= 0),
    CONSTRAINT [CK_UnitsOnOrder] CHECK ([UnitsOnOrder] >= 0)
);

CREATE TABLE [Orders] (
    [OrderID] INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    [CustomerID] TEXT NULL,
    [EmployeeID] INTEGER NULL,
    [OrderDate] DATETIME NULL,
    [RequiredDate] DATETIME NULL,
    [ShippedDate] DATETIME NULL,
    [ShipVia] INTEGER NULL,
    [Freight] NUMERIC NULL DEFAULT 0,
    [ShipName] TEXT NULL,
    [ShipAddress] TEXT NULL,
    [ShipCity] TEXT NULL,
    [ShipRegion] TEXT NULL,
    [ShipPostalCode] TEXT NULL,
    [ShipCountry] TEXT NULL,
    CONSTRAINT [FK_Orders_Customers] FOREIGN KEY ([CustomerID]) REFERENCES [Customers] ([CustomerID]),
    CONSTRAINT [FK_Orders_Employees] FOREIGN KEY ([EmployeeID]) REFERENCES [Employees] ([EmployeeID]),
    CONSTRAINT [FK_Orders_Shippers] FOREIGN KEY ([ShipVia]) REFERENCES [Shippers] ([ShipperID])
);

CREATE TABLE [Order Details] (
    [OrderID] INTEGER NOT NULL,
    [ProductID] INTEGER NOT NULL,
    [UnitPrice] NUMERIC NOT NULL DEFAULT 0,
    [Quantity] INTEGER NOT NULL DEFAULT 1,
    [Discount] REAL NOT NULL DEFAULT 0,
    CONSTRAINT [PK_Order_Details] PRIMARY KEY ([OrderID], [ProductID]),
    CONSTRAINT [FK_Order_Details_Orders] FOREIGN KEY ([OrderID]) REFERENCES [Orders] ([OrderID]),
    CONSTRAINT [FK_Order_Details_Products] FOREIGN KEY ([ProductID]) REFERENCES [Products] ([ProductID]),
    CONSTRAINT [CK_Discount] CHECK ([Discount] >= 0 AND ([Discount] <= 1)),
    CONSTRAINT [CK_Quantity] CHECK ([Quantity] > 0),
    CONSTRAINT [CK_UnitPrice] CHECK ([UnitPrice] >= 0)
);
